"""The memory map of the soft machine's devices: one row per port.

A port is a word of the address space, at `WINDOW` plus its number. A row's signature says what
it takes when it is stored to and what it gives when it is loaded from.
"""

from transputer.isa.op import Op, Table

#: The first address of the ports; below it is memory.
WINDOW = 0xFFFF0000

PORTS = Table("ports", (
    Op("KEYBOARD", 0, ":i", "The next key; all ones when there is none."),
    Op("KEYS", 1, ":i", "How many keys wait."),
    Op("MOUSE", 2, ":i", "The next event: x, y and buttons from the lowest byte on."),
    Op("EVENTS", 3, ":i", "How many events wait."),
    Op("SERIAL", 4, "i:i", "The next word received; a word to send."),
    Op("RECEIVED", 5, ":i", "How many words wait."),
    Op("DISK_SECTOR", 6, "i:i", "The sector that the next transfer is about."),
    Op("DISK_AT", 7, "i:i", "The physical address of its words in memory."),
    Op("DISK_GO", 8, "i:", "1 asks for a transfer from the disk, 2 for one to it."),
    Op("SCREEN_X", 9, "i:i", "The column of the next point."),
    Op("SCREEN_Y", 10, "i:i", "Its row."),
    Op("SCREEN_GO", 11, "i:", "Asks for a point of this colour, red in the lowest byte."),
    Op("GPU_A", 12, "i:i", "Where the first operand of a command is."),
    Op("GPU_B", 13, "i:i", "Where the second is."),
    Op("GPU_OUT", 14, "i:i", "Where the result goes."),
    Op("GPU_M", 15, "i:i", "Rows of the first operand and of the result."),
    Op("GPU_K", 16, "i:i", "Columns of the first operand, rows of the second."),
    Op("GPU_N", 17, "i:i", "Columns of the second operand and of the result."),
    Op("GPU_GO", 18, "i:", "Asks for a command: 1 product, 2 sum, 3 relu, 4 copy."),
    Op("GPU_AT", 19, "i:i", "The place of the next word to move to or from the GPU."),
    Op("GPU_WORD", 20, "i:i", "That word; then the place moves on by one."),
    Op("BUSY", 21, ":i", "Who still waits for the bus: 1 disk, 2 screen, 4 GPU, added."),
    Op("PAGES", 22, "i:i", "The address of the first table of pages; 0 turns paging off."),
    Op("HITS", 23, ":i", "Accesses that the cache could answer."),
    Op("MISSES", 24, ":i", "Accesses that it could not."),
    Op("MATCH", 25, "i:i", "A word to look for; the address of the word in memory nearest to it."),
))  # fmt: skip
