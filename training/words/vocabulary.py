"""The words that fill the templates: people, things, places, qualities, verbs, measures."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Someone a story tells of: the name, and `he`, `him`, `his` as they are said of them."""

    name: str
    he: str
    him: str
    his: str


SHE = ("she", "her", "her")
HE = ("he", "him", "his")
THEY = ("they", "them", "their")

WOMEN = """Amara Anna Aisha Alice Amy Angela Beatriz Bella Bridget Camila Carmen Cara Chloe Clara
Daisy Dana Diana Dora Elena Ella Elsa Emma Erin Esther Eva Fatima Fiona Freya Gina Grace Greta
Hana Hannah Heidi Helen Ida Ingrid Irene Iris Isabel Ivy Jade Jana Janet Jasmine Jenny Jill Joan
Joy Judith Julie Karen Kate Kavya Kim Lara Laura Leah Leila Lena Lily Linda Lisa Lola Lucy Lydia
Maria Mariam Marta Mary Maya Mei Mia Mila Mina Mira Molly Nadia Naomi Natalie Nell Nina Nora Olga
Paula Petra Pia Polly Priya Rachel Ramona Rita Rosa Ruby Ruth Sally Sandra Sara Selma Sonia Sophie
Stella Susan Tamara Tanya Tara Teresa Tess Tina Uma Vera Violet Wanda Yara
Yasmin Yuki Zara Zoe""".split()
MEN = """Aaron Abdul Adrian Ahmed Alan Albert Alex Ali Andre Anton Arjun Ben Bernard Bill Boris
Brian Bruno Carl Carlos Chen Chris Cyril Daniel David Dennis Diego Dmitri Edgar Eli Emil Eric Ethan
Felix Finn Francis Frank Fred George Gordon Greg Gus Hans Harry Hassan Henry Hugo Ian Igor Isaac
Ivan Jack Jacob James Jamal Jan Jason Javier Jim Joe John Jonas Jose Juan Kai Karl Ken Kevin Kofi
Lars Leo Leon Liam Louis Luca Lucas Luis Luke Malik Marco Mark Martin Mateo Max Miguel Mike Milan
Nathan Neil Nick Noah Oleg Oliver Omar Oscar Otto Pablo Pascal Paul Pedro Peter Phil Quentin Rafael
Raj Ralph Ravi Ray Robert Robin Roland Roy Rui Sam Samir Scott Sean Simon Stefan Steve Sven Tariq
Ted Theo Tim Tom Tony Umar Victor Vikram Walter Will Xavier Yusuf Zach""".split()
ROLES = """a farmer|a baker|a teacher|a fisherman|a gardener|a carpenter|a librarian|a shopkeeper
|a waiter|a painter|a tailor|a florist|a coach|a student|a chef|a collector|a grocer|a driver
|the farmer|the baker|the teacher|the gardener|the shopkeeper|the coach|the chef|the artist
|my uncle|my neighbor|my brother|our neighbor|his cousin|her cousin|a boy|a girl|my sister|my aunt
|my grandmother|my grandfather|a magician|a beekeeper|a mechanic|a potter|a jeweler"""
FEMALE = ("girl", "sister", "aunt", "grandmother")

PEOPLE: tuple[Person, ...] = tuple(
    [Person(name, *SHE) for name in WOMEN] + [Person(name, *HE) for name in MEN]
)
ROLE_PEOPLE: tuple[Person, ...] = tuple(
    Person(role.strip(), *(SHE if role.strip().endswith(FEMALE) else HE))
    for role in ROLES.split("|")
)


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """`cat cats, box boxes` as (plural, singular) pairs; words of one name are joined by `_`."""
    rows = [entry.replace("\n", " ").split() for entry in text.split(",")]
    return tuple((row[1].replace("_", " "), row[0].replace("_", " ")) for row in rows)


THINGS = pairs("""
ball balls, balloon balloons, bead beads, bell bells, block blocks, book books, bottle bottles,
bracelet bracelets, brush brushes, bucket buckets, button buttons,
camera cameras, candle candles, cap caps, card cards, chair chairs, coin coins, comic comics,
crayon crayons, cup cups, doll dolls, drawing drawings, envelope envelopes, eraser erasers,
feather feathers, flag flags, flower flowers, folder folders, football footballs, fork forks,
game games, glass glasses, glove gloves, hat hats, jacket jackets, jar jars, jewel jewels,
jigsaw jigsaws, key keys, kite kites, lamp lamps, leaf leaves, letter letters, magazine magazines,
magnet magnets, map maps, marble marbles, mask masks, mug mugs, nail nails, necklace necklaces,
newspaper newspapers, notebook notebooks, novel novels, paintbrush paintbrushes, painting paintings,
paper_clip paper_clips, pebble pebbles, pen pens, pencil pencils, photo photos, picture pictures,
pillow pillows, pin pins, plant plants, plate plates, postcard postcards, poster posters, pot pots,
puzzle puzzles, ribbon ribbons, ring rings, robot robots, rock rocks, rose roses, ruler rulers,
scarf scarves, screw screws, seed seeds, shell shells, seashell seashells, shirt shirts,
shoe shoes, sock socks, spoon spoons, stamp stamps, star stars, sticker stickers, stone stones,
stool stools, story stories, sweater sweaters, t-shirt t-shirts, tennis_ball tennis_balls,
ticket tickets, tile tiles, token tokens, tool tools, towel towels, toy toys, toy_car toy_cars,
trading_card trading_cards, tulip tulips, umbrella umbrellas, vase vases, video_game video_games,
watch watches, whistle whistles, crystal crystals,
bookmark bookmarks, basketball basketballs, guitar guitars, dvd dvds, song songs,
medal medals, trophy trophies, ornament ornaments, lantern lanterns, screwdriver screwdrivers""")
FOODS = pairs("""
apple apples, banana bananas, berry berries, biscuit biscuits, blueberry blueberries, bun buns,
burger burgers, cake cakes, candy candies, candy_bar candy_bars, carrot carrots, cherry cherries,
chocolate chocolates, chip chips, cookie cookies, corn_cob corn_cobs, cracker crackers,
croissant croissants, cucumber cucumbers, cupcake cupcakes, date dates, donut donuts,
doughnut doughnuts, dumpling dumplings, egg eggs, fig figs, grape grapes, gumball gumballs,
hot_dog hot_dogs, lemon lemons, lime limes, loaf loaves, lollipop lollipops, mango mangoes,
meatball meatballs, melon melons, mint mints, muffin muffins, mushroom mushrooms, nut nuts,
olive olives, onion onions, orange oranges, pancake pancakes, pastry pastries, peach peaches,
peanut peanuts, pear pears, pepper peppers, pie pies, pineapple pineapples, pizza pizzas,
plum plums, potato potatoes, pretzel pretzels, pumpkin pumpkins, radish radishes, roll rolls,
sandwich sandwiches, sausage sausages, slice_of_pizza slices_of_pizza, snack snacks,
strawberry strawberries, sweet sweets, taco tacos, tomato tomatoes, turnip turnips,
waffle waffles, walnut walnuts, watermelon watermelons, piece_of_candy pieces_of_candy,
piece_of_gum pieces_of_gum, chocolate_bar chocolate_bars, jelly_bean jelly_beans""")
ANIMALS = pairs("""
ant ants, bee bees, bird birds, butterfly butterflies, cat cats, chicken chickens, cow cows,
crab crabs, dog dogs, dolphin dolphins, dove doves, duck ducks, eagle eagles, fish fish, fox foxes,
frog frogs, goat goats, goldfish goldfish, goose geese, guppy guppies, hamster hamsters, hen hens,
horse horses, kitten kittens, lamb lambs, lion lions, lizard lizards, monkey monkeys, mouse mice,
otter otters, owl owls, parrot parrots, penguin penguins, pig pigs, pigeon pigeons, puppy puppies,
rabbit rabbits, seagull seagulls, seal seals, sheep sheep, snail snails, sparrow sparrows,
spider spiders, squirrel squirrels, swan swans, tiger tigers, turkey turkeys,
turtle turtles, whale whales, wolf wolves, zebra zebras, robin robins, crow crows""")
GROUPS = pairs("""
adult adults, artist artists, athlete athletes, boy boys, camper campers, child children,
customer customers, dancer dancers, doctor doctors, driver drivers, employee employees, fan fans,
friend friends, girl girls, guest guests, hiker hikers, kid kids, man men, member members,
musician musicians, nurse nurses, passenger passengers, people_in_line people_in_line,
player players, pupil pupils, runner runners, sailor sailors, scientist scientists, scout scouts,
singer singers, soldier soldiers, student students, swimmer swimmers, teacher teachers,
tourist tourists, visitor visitors, volunteer volunteers, woman women, worker workers,
person people, player players, actor actors""")
CONTAINERS = pairs("""
album albums, bag bags, basket baskets, bin bins, bowl bowls, box boxes, bucket buckets,
bunch bunches, cabinet cabinets, carton cartons, case cases, chest chests, container containers,
crate crates, cupboard cupboards, drawer drawers, folder folders, jar jars, pack packs,
package packages, packet packets, pile piles, pouch pouches, rack racks, sack sacks, set sets,
shelf shelves, stack stacks, tin tins, tray trays, tub tubs, vase vases, row rows, bundle bundles,
bookcase bookcases, page pages, table tables, group groups, room rooms, column columns""")
SEATINGS = pairs("""
bench benches, boat boats, bus buses, cabin cabins, car cars, carriage carriages, classroom
classrooms, canoe canoes, coach coaches, hall halls, house houses, lab labs, row rows,
room rooms, table tables, team teams, tent tents, train trains, van vans, wagon wagons,
airplane airplanes, ferry ferries, club clubs, school schools, floor floors, seat seats""")
BUILDINGS = pairs("""
bakery bakeries, bookstore bookstores, cafe cafes, cinema cinemas, factory factories, farm farms,
garden gardens, gym gyms, hospital hospitals, hotel hotels, library libraries, market markets,
museum museums, orchard orchards, park parks, playground playgrounds, restaurant restaurants,
school schools, shop shops, stadium stadiums, store stores, theater theaters, zoo zoos,
workshop workshops, palace palaces, castle castles, harbor harbors, beach beaches,
circus circuses""")
SPOTS = """on the shelf|in the box|in the basket|on the table|in the drawer|in the room
|in the garden|in the park|at the market|in the bag|in the jar|on the desk|in the yard
|in the barn|on the tree
|in the cupboard|in the kitchen|in the classroom|on the fence|on the roof|in the pond
|in the field|at the fair|on the wall|in the shed|in the crate|in the closet|in the store
|at the beach""".split("|")
FAMILIES = tuple(
    tuple(row.replace("_", " ").split())
    for row in """red green blue yellow white black purple orange pink brown gray
small large medium
big small tiny huge
old new
tall short
long short
sweet sour salty spicy
ripe unripe rotten
plain striped spotted
wooden plastic metal glass
round square triangular
chocolate vanilla strawberry
hot cold
clean dirty
cheap expensive
full empty
fresh stale
broken unbroken
gold silver bronze
heavy light
thick thin
male female
foreign local
math science history
left-handed right-handed""".splitlines()
)
SUBJECTS = """math|reading|science|history|biology|spelling|geography|music|english|chinese|art
|physics|chemistry|french|spanish""".split("|")
DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|")
MONTHS = """January|February|March|April|May|June|July|August|September|October|November|December
""".strip().split("|")
TIMES = pairs("minute minutes, hour hours, day days, week weeks, month months, year years")
LENGTHS = pairs("""inch inches, foot feet, meter meters, mile miles, kilometer kilometers,
yard yards, centimeter centimeters, block blocks, step steps""")
WEIGHTS = pairs("""pound pounds, kilogram kilograms, ounce ounces, gram grams, ton tons, kg kg""")
VOLUMES = pairs("""cup cups, liter liters, gallon gallons, spoon spoons, pint pints, glass glasses,
bucket buckets, tablespoon tablespoons, quart quarts""")
STUFF = """flour|sugar|water|milk|rice|salt|oil|butter|juice|sand|paint|honey|oats|cream|cement
|vinegar|yeast|soil|gravel|syrup|tea|coffee""".replace("\n", "").split("|")
MATERIALS = """rope|ribbon|wire|string|fabric|cloth|tape|pipe|wood|thread|yarn""".split("|")
WORKS = tuple(
    tuple(row.strip().split("|"))
    for row in """did|pull-ups|do;did|sit-ups|do;solved|problems|solve;read|pages|read
;wrote|letters|write;ran|laps|run;scored|points|score;made|phone calls|make
;painted|fences|paint;washed|cars|wash;planted|trees|plant;caught|fish|catch
;picked|flowers|pick;baked|pies|bake;typed|pages|type;scored|goals|score
;sent|emails|send;received|letters|receive;watched|movies|watch;visited|museums|visit
;answered|questions|answer;delivered|parcels|deliver;built|chairs|build
;collected|signatures|collect;memorized|words|memorize;did|cartwheels|do;did|squats|do
;did|jumping jacks|do;swam|lengths|swim;won|games|win;sold|raffle tickets|sell
;earned|badges|earn;drew|sketches|draw;taught|children|teach;met|people|meet
;took|photos|take;practiced|songs|practice;cleaned|windows|clean;folded|towels|fold
;climbed|stairs|climb;studied|lessons|study;completed|exercises|complete""".split(";")
)
MACHINES = "machine|robot|printer|oven|press|loom|engine|conveyor|photocopier".split("|")
STAGES = """morning|afternoon|evening|night""".split("|")

#: Sets of words that a template may name, one drawn anew at each place: `<GOT>`.
CLASSES: dict[str, tuple[str, ...]] = {
    name: tuple(word.strip() for word in row.split("|"))
    for name, row in {
        "HAD": "had|had|had|owned|started with|kept|started out with",
        "HAS": "has|has|has|owns|keeps",
        "GOT": """bought|got|found|received|picked up|collected|gained|was given|obtained|added
                |acquired|won""",
        "GET": "buy|get|find|receive|pick up|collect|gain|add|acquire|win",
        "GETS": "buys|gets|finds|receives|picks up|collects|gains|adds|acquires|wins",
        "LOST": """lost|gave away|sold|threw away|used|donated|dropped|misplaced|traded away
                |threw out|returned|broke|handed out|discarded|gave out|removed""",
        "LOSE": """lose|give away|sell|throw away|use|donate|drop|misplace|trade away|throw out
                |return|break|hand out|discard|give out|remove""",
        "LOSES": """loses|gives away|sells|throws away|uses|donates|drops|misplaces|trades away
                |throws out|returns|breaks|hands out|discards""",
        "ATE": "ate|ate|ate|finished|used up|gobbled up|snacked on|consumed",
        "EAT": "eat|eat|eat|finish|use up|consume",
        "MADE": "made|baked|prepared|cooked",
        "CAME": "came|arrived|turned up|showed up|came over|walked in|came in|appeared",
        "LEFT": "left|went away|went home|walked out|moved away|departed",
        "TOTAL": "in all|altogether|in total|all together|total|overall|combined",
        "NOW": "now|now|in the end|at the end|after that|then|",
        "FIRST": """at first|at the start|initially|to start with|in the beginning|originally
                |to begin with|before that|earlier""",
        "EACH": "each|each|every",
        "LATER": "Then|Later|After that|Afterwards|The next day|Next|Later that day|A week later",
        "FEWER": "fewer|fewer|less",
        "SOME": "some|some|a few|a certain number of|a number of|several|some",
        "SPENT": "spent|paid|used",
        "EARNED": "earned|made|received|got|was paid",
        "COST": "cost|cost|cost|were priced at|were sold for",
        "COSTS": "costs|costs|costs|is priced at|sells for|is sold for",
        "HOLDS": "holds|holds|has|contains|can hold|fits|carries",
        "SHARE": "shared|divided|split|distributed|handed out|gave out",
        "EQUALLY": "equally|evenly|equally|fairly|in equal shares",
        "TOP": """largest|biggest|greatest|highest|maximum|largest|highest|top|topmost|maximal
                |uppermost""",
        "LOW": "smallest|lowest|least|minimum|smallest|lowest|minimal|tiniest|bottom",
        "AMONG": "of|of|in|among|out of|from|from among|within",
        "GIVEN": """Given|Consider|Here are|We have|You see|Look at|Take|With|I wrote down
                |The numbers are|The values are|The list is|My numbers are|Think of|For|In
                |From the numbers|The results were|Somebody measured|The cards show""",
        "SCENE": """It was a sunny day.|The leaves were falling.|The weather was lovely.|School had
                just started.|It was the first day of the holidays.|The whole family was there.
                |Everyone was excited.|It had been a long week.|The market was crowded.|Nobody was
                in a hurry.|They were enjoying themselves.|In the evening they took a walk.
                |It was raining all day.""",
    }.items()
}
