// What Rust programs use of the standard library: collections, strings, errors, traits, input, a panic.
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Circle { radius: f64 },
    Square(f64),
}

trait Area {
    fn area(&self) -> f64;
}

impl Area for Shape {
    fn area(&self) -> f64 {
        match self {
            Shape::Circle { radius } => std::f64::consts::PI * radius * radius,
            Shape::Square(side) => side * side,
        }
    }
}

#[derive(Debug)]
struct Negative(i64);

impl fmt::Display for Negative {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} is negative", self.0)
    }
}

impl Error for Negative {}

fn root(text: &str) -> Result<f64, Box<dyn Error>> {
    let n: i64 = text.trim().parse()?;
    if n < 0 {
        return Err(Box::new(Negative(n)));
    }
    Ok((n as f64).sqrt())
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("panic") {
        panic!("on demand");
    }
    let stdin = io::stdin();
    let mut first = String::new();
    stdin.lock().read_line(&mut first)?;
    let mut rest = String::new();
    stdin.lock().read_to_string(&mut rest)?;

    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in rest.split_whitespace() {
        *counts.entry(word).or_default() += 1;
    }
    let sorted: BTreeMap<_, _> = counts.iter().collect();
    println!("{:?} {}", sorted, counts.values().sum::<usize>());
    let letters: HashSet<char> = rest.chars().filter(|c| c.is_alphabetic()).collect();
    println!("{} letters, {} bytes, {}", letters.len(), rest.len(), "ß→Ω".to_uppercase());

    for text in ["16", "-3", "many", "9223372036854775808"] {
        match root(text) {
            Ok(value) => println!("{text:>5}: {value:.3}"),
            Err(problem) => println!("{text:>5}: {problem}"),
        }
    }

    let shapes: Vec<Rc<dyn Area>> =
        vec![Rc::new(Shape::Circle { radius: 1.5 }), Rc::new(Shape::Square(0.1 + 0.2))];
    println!("{:?}", shapes.iter().map(|shape| shape.area()).collect::<Vec<_>>());
    println!("{:#?}", Shape::Circle { radius: 1e21 });

    let mut queue: VecDeque<u128> = (1..=5).collect();
    queue.rotate_left(2);
    println!("{queue:?} {}", queue.iter().map(|n| n.pow(30)).sum::<u128>());
    println!("{:?} {:?}", i32::MAX.checked_add(1), i32::MAX.wrapping_add(1));
    println!("{:?}", std::env::args().skip(1).collect::<Vec<_>>());
    io::stdout().flush()?;
    eprintln!("{}", first.trim());

    let mut numbers: Vec<u32> = (0..1000).map(|n| n * 7919 % 1009).collect();
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    println!("{:?}", &numbers[..5]);
    std::process::exit(numbers.binary_search_by(|n| 500.cmp(n)).unwrap_or(200) as i32 % 100)
}
