// A looped transformer as a circuit: 137 rows, 128 columns, 8 layers, 9 heads.
//
// The weights are the microcode in gcd_rom.hex, about one word for each nonzero; the state
// is in `x`. Nothing here knows what a program is.
//
// A column is idle if every layer, with its heads on itself, leaves it as it is, and no other idle
// column scores with it as much as it does itself. `start` works that out for all columns, a step for
// those that it has changed. A step visits the columns that are not idle, and those that one of
// them disturbs by reaching their score with themselves. Keys and values of idle columns are kept.
//
// Bus: entry COLUMN * 137 + ROW of the state is at `address`: written with `write`, read one cycle
// later. `start` once it is loaded, then `step`. Each raises `busy`, and counts its `cycles`.

module gcd (
    input clk,
    input reset,
    input write,
    input [15-1:0] address,
    input signed [12-1:0] write_data,
    output signed [12-1:0] read_data,
    input start,
    input step,
    output busy,
    output reg halted,
    output reg [47:0] cycles,
    output reg [7:0] working  // columns that every step visits
);
    localparam ROWS = 137, COLUMNS = 128, LAYERS = 8, VALUES = 85;
    // Bits: of rows, columns, layers, heads; of places in x and in rom; of what beside an operation
    localparam RW = 8, CW = 7, LW = 4, NW = 4, XA = 15, PW = 13, IW = 13;
    // Bits: of entries in a step and between steps, of values, sums, key entries, weights
    localparam XW = 12, HW = 6, VW = 11, AW = 18, KW = 7, WW = 13;

    // Microcode: an operation, a number, a weight. The first three stream, one a cycle.
    localparam [3:0]
        TERM = 0,   // sum += weight * x[row]
        OUT = 1,    // delta[row] += weight * product
        APPLY = 2,  // x[row] += delta[row], which is 0 again
        WAIT = 3,   // until what streams is through, as all that follow do
        GATE = 4,   // gate = sum; go on at the number unless it is positive
        FORM = 5,   // product = gate * sum
        KEY = 6,    // the sum is the next entry of a key
        KEYS = 7,   // that was the key of a head
        HOLD = 8,   // the sum is a value
        SCAN = 9,   // find the columns that a head attends to
        MEAN = 10,  // product = mean of their values
        STOP = 11,  // whether the sum says that it has stopped
        END = 12;

    // Memories: one port to read, one to write.
    reg signed [XW-1:0] x [0:ROWS*COLUMNS-1];
    reg signed [HW-1:0] held [0:ROWS*COLUMNS-1];  // columns as they were before the step
    reg signed [VW-1:0] values [0:VALUES*COLUMNS-1];
    reg signed [XW-1:0] delta [0:ROWS-1];
    reg [CW-1:0] queue [0:COLUMNS-1];  // columns to visit; those of every step come first
    reg [CW-1:0] tied [0:COLUMNS-1];
    reg idle [0:COLUMNS-1];
    reg [4+IW+WW-1:0] rom [0:4688-1];
    integer i;
    initial begin
        for (i = 0; i < ROWS; i = i + 1) delta[i] = 0;
        $readmemh("gcd_rom.hex", rom);
    end

    // ---- Control: what to do with which column --------------------------------------------------
    localparam [4:0]
        IDLE = 0, CLEAR = 1,
        // is a column idle?
        ASK = 2, LEARN = 3, SOLO = 4, SOLO_DONE = 5, SOLO_SAME = 6, JUDGE = 7, ACCEPT = 8,
        REJECT = 9, NEXT_COLUMN = 10,
        // a layer: keys and values, visits, who is as before
        LAYER = 11, PREPARE = 12, VISIT = 13, SETTLE = 14, SETTLED = 15, RENEW = 16, KEEP = 17,
        NEXT_LAYER = 18, CHANGED = 19, FINISH = 20,
        // what others call: they go on with `then`
        QUEUE = 21, CALL = 22, RUN = 23, SEEK = 24, SWEEP = 25;
    localparam [1:0] COPY = 0, RESTORE = 1, COMPARE = 2;  // held = x, x = held, same = x is held

    reg [4:0] state, then;
    reg loading;         // every column is new
    reg solo, checking;  // heads attend to the column alone; scans look for conflicts
    reg conflict, same;
    reg [1:0] purpose;
    reg [CW-1:0] col;
    reg [XA-1:0] base;   // of the column in x
    reg [CW:0] length, at, kept, fresh;  // of the queue; from `fresh` on its keys are those before
    reg [LW-1:0] layer;
    reg [PW-1:0] entry;
    reg [RW:0] row, swept_row;
    reg swept;
    assign busy = state != IDLE;
    wire executing = state == RUN;

    // Where a layer's microcode begins: keys and values, and the visit.
    reg [PW-1:0] learn_entry, visit_entry;
    reg has_heads;
    always @* begin
        {has_heads, learn_entry, visit_entry} = 0;
        case (layer)
            0: begin
                has_heads = 1;
                learn_entry = 0;
                visit_entry = 65;
            end
            1: begin
                has_heads = 1;
                learn_entry = 535;
                visit_entry = 650;
            end
            2: begin
                has_heads = 1;
                learn_entry = 1929;
                visit_entry = 2021;
            end
            3: begin
                has_heads = 1;
                learn_entry = 2598;
                visit_entry = 2670;
            end
            4: begin
                has_heads = 1;
                learn_entry = 3363;
                visit_entry = 3440;
            end
            5: begin
                has_heads = 0;
                learn_entry = 3559;
                visit_entry = 3560;
            end
            6: begin
                has_heads = 0;
                learn_entry = 3753;
                visit_entry = 3754;
            end
            7: begin
                has_heads = 0;
                learn_entry = 3945;
                visit_entry = 3946;
            end
            default: ;
        endcase
    end

    // ---- Microcode: the word at pc --------------------------------------------------------------
    reg [PW-1:0] pc;
    reg [4+IW+WW-1:0] word;
    wire [3:0] op = word[4+IW+WW-1:IW+WW];
    wire [IW-1:0] number = word[IW+WW-1:WW];
    wire signed [WW-1:0] weight = word[WW-1:0];
    wire streams = op == TERM || op == OUT || op == APPLY;

    reg b_term, b_out, b_apply, c_term, c_out;  // in the second and third stage
    reg [RW-1:0] b_row, c_row;
    reg signed [WW-1:0] b_weight;
    wire empty = !b_term && !b_out && !b_apply && !c_term && !c_out;
    wire ready = executing && !streams && empty;
    reg signed [AW-1:0] sum, gate, product, own;
    reg phase;

    reg scanning, first, mine_next, scan_read, scan_scored;
    reg [CW:0] scan_next, ties;
    reg [CW-1:0] read_column, scored_column;
    reg read_idle, scored_idle;
    reg signed [AW-1:0] best, scored_own;
    wire scan_done = scanning && scan_next == COLUMNS && !scan_read && !scan_scored;

    reg averaging, dividing, tie_read, value_read;
    reg [CW:0] tie_next;
    reg [7:0] digits;
    wire mean_done = averaging && tie_next == ties && !tie_read && !value_read;
    wire divided = dividing && digits == 0;

    wire at_once = op == WAIT || op == GATE || op == KEYS || op == HOLD || op == STOP;
    wire done = ready && (at_once
        || ((op == FORM || op == KEY) && phase)
        || (op == SCAN && (solo || scan_done))
        || (op == MEAN && (divided || (mean_done && ties <= 2))));
    wire [PW-1:0] fetch = state == CALL ? entry
        : done && op == GATE && sum <= 0 ? number[PW-1:0]
        : executing && (streams || done) ? pc + 1'b1 : pc;
    always @(posedge clk) begin
        pc <= fetch;
        word <= rom[fetch];
    end

    // The multiplier: streams first
    reg signed [XW-1:0] x_read;
    wire signed [AW-1:0] left = !empty ? b_weight : op == FORM ? gate : sum;
    wire signed [AW-1:0] right = empty ? sum : b_out ? product : x_read;
    reg signed [AW-1:0] multiplied;
    always @(posedge clk) multiplied <= left * right;

    // ---- The state ------------------------------------------------------------------------------
    wire sweeps = state == SWEEP;
    reg signed [HW-1:0] held_read;
    wire [XA-1:0] x_from = !busy ? address : sweeps ? base + row : base + number[RW-1:0];
    wire [XA-1:0] x_to = !busy ? address : sweeps ? base + swept_row : base + b_row;
    wire x_write = !busy ? write : sweeps ? swept && purpose == RESTORE : b_apply;
    wire [RW-1:0] delta_row = b_apply ? b_row : c_row;
    wire signed [XW-1:0] delta_read = delta[delta_row];
    wire signed [XW-1:0] x_data = !busy ? write_data : sweeps ? held_read : x_read + delta_read;
    assign read_data = x_read;
    always @(posedge clk) begin
        x_read <= x[x_from];
        if (x_write) x[x_to] <= x_data;
        held_read <= held[base + row];
        if (sweeps && swept && purpose == COPY) held[base + swept_row] <= x_read[HW-1:0];
        if (b_apply || c_out) delta[delta_row] <= b_apply ? 0 : delta_read + multiplied[XW-1:0];
    end

    // ---- What words do --------------------------------------------------------------------------
    reg [AW-1:0] quotient;
    reg [CW+1:0] remainder;
    wire signed [AW-1:0] half = sum >>> 1;
    wire [CW+1:0] shifted = {remainder[CW:0], quotient[AW-1]};
    wire [CW+2:0] doubled = {remainder, 1'b0};
    wire up = doubled > ties || (doubled == ties && quotient[0]);
    wire signed [AW-1:0] rounded = quotient + up;
    reg signed [VW-1:0] value;
    reg [126-1:0] key;  // the entries of a key as they come

    always @(posedge clk) begin
        b_term <= executing && op == TERM;
        b_out <= executing && op == OUT;
        b_apply <= executing && op == APPLY;
        b_row <= number[RW-1:0];
        b_weight <= weight;
        c_term <= b_term;
        c_out <= b_out;
        c_row <= b_row;
        phase <= ready && (op == FORM || op == KEY) && !phase;
        if (c_term) sum <= sum + multiplied;
        if (value_read) sum <= sum + value;
        if (done) case (op)
            GATE: gate <= sum;
            FORM: product <= multiplied;
            KEY: begin
                key <= {key, sum[KW-1:0]};
                own <= own + multiplied;
            end
            KEYS: own <= 0;
            MEAN: product <= ties == 1 ? sum
                : ties == 2 ? half + $signed({1'b0, sum[0] & half[0]})  // halves to the even one
                : sum < 0 ? -rounded : rounded;
            STOP: halted <= sum >= 1;
            default: ;
        endcase
        if (done) sum <= 0;
        if (reset) begin
            {b_term, b_out, b_apply, c_term, c_out, phase} <= 0;
            sum <= 0;
            own <= 0;
            halted <= 0;
        end
    end

    // A mean: a value a cycle. The mean of two is a shift; of more, a division, a digit a cycle.
    reg [CW-1:0] tie;
    always @(posedge clk) begin
        tie <= tied[tie_next[CW-1:0]];
        value <= values[tie * VALUES + number];
        if (done && op == HOLD) values[col * VALUES + number] <= sum[VW-1:0];
        tie_read <= averaging && tie_next != ties;
        value_read <= tie_read;
        if (averaging && tie_next != ties) tie_next <= tie_next + 1'b1;
        if (ready && op == MEAN && !averaging && !dividing) begin
            averaging <= 1;
            tie_next <= 0;
        end
        if (mean_done) begin
            averaging <= 0;
            dividing <= ties > 2;
            digits <= AW;
            remainder <= 0;
            quotient <= sum < 0 ? -sum : sum;
        end
        if (divided) dividing <= 0;
        else if (dividing) begin
            digits <= digits - 1'b1;
            quotient <= {quotient[AW-2:0], shifted >= ties};
            remainder <= shifted >= ties ? shifted - ties : shifted;
        end
        if (reset) {averaging, dividing, tie_read, value_read} <= 0;
    end

    // ---- Attention: one column a cycle ----------------------------------------------------------
    wire [NW-1:0] head = number[NW-1:0];
    wire [CW-1:0] key_column = scanning ? scan_next[CW-1:0] : col;
    wire learned = done && op == KEYS;
    reg [38:0] keys0 [0:COLUMNS-1];
    reg [38:0] row0, mine0;
    reg signed [AW-1:0] score0;
    always @(posedge clk) begin
        row0 <= keys0[key_column];
        if (learned && head == 0)
            keys0[col] <= {own, key[2:0], key[9:7], key[16:14], key[23:21], key[30:28], key[37:35], key[44:42]};
        if (mine_next) mine0 <= row0;
        score0 <= $signed(row0[2:0]) * $signed(mine0[2:0])
            + $signed(row0[5:3]) * $signed(mine0[5:3])
            + $signed(row0[8:6]) * $signed(mine0[8:6])
            + $signed(row0[11:9]) * $signed(mine0[11:9])
            + $signed(row0[14:12]) * $signed(mine0[14:12])
            + $signed(row0[17:15]) * $signed(mine0[17:15])
            + $signed(row0[20:18]) * $signed(mine0[20:18]);
    end
    reg [38:0] keys1 [0:COLUMNS-1];
    reg [38:0] row1, mine1;
    reg signed [AW-1:0] score1;
    always @(posedge clk) begin
        row1 <= keys1[key_column];
        if (learned && head == 1)
            keys1[col] <= {own, key[2:0], key[9:7], key[16:14], key[23:21], key[30:28], key[37:35], key[44:42]};
        if (mine_next) mine1 <= row1;
        score1 <= $signed(row1[2:0]) * $signed(mine1[2:0])
            + $signed(row1[5:3]) * $signed(mine1[5:3])
            + $signed(row1[8:6]) * $signed(mine1[8:6])
            + $signed(row1[11:9]) * $signed(mine1[11:9])
            + $signed(row1[14:12]) * $signed(mine1[14:12])
            + $signed(row1[17:15]) * $signed(mine1[17:15])
            + $signed(row1[20:18]) * $signed(mine1[20:18]);
    end
    reg [38:0] keys2 [0:COLUMNS-1];
    reg [38:0] row2, mine2;
    reg signed [AW-1:0] score2;
    always @(posedge clk) begin
        row2 <= keys2[key_column];
        if (learned && head == 2)
            keys2[col] <= {own, key[2:0], key[9:7], key[16:14], key[23:21], key[30:28], key[37:35], key[44:42]};
        if (mine_next) mine2 <= row2;
        score2 <= $signed(row2[2:0]) * $signed(mine2[2:0])
            + $signed(row2[5:3]) * $signed(mine2[5:3])
            + $signed(row2[8:6]) * $signed(mine2[8:6])
            + $signed(row2[11:9]) * $signed(mine2[11:9])
            + $signed(row2[14:12]) * $signed(mine2[14:12])
            + $signed(row2[17:15]) * $signed(mine2[17:15])
            + $signed(row2[20:18]) * $signed(mine2[20:18]);
    end
    reg [38:0] keys3 [0:COLUMNS-1];
    reg [38:0] row3, mine3;
    reg signed [AW-1:0] score3;
    always @(posedge clk) begin
        row3 <= keys3[key_column];
        if (learned && head == 3)
            keys3[col] <= {own, key[2:0], key[9:7], key[16:14], key[23:21], key[30:28], key[37:35], key[44:42]};
        if (mine_next) mine3 <= row3;
        score3 <= $signed(row3[2:0]) * $signed(mine3[2:0])
            + $signed(row3[5:3]) * $signed(mine3[5:3])
            + $signed(row3[8:6]) * $signed(mine3[8:6])
            + $signed(row3[11:9]) * $signed(mine3[11:9])
            + $signed(row3[14:12]) * $signed(mine3[14:12])
            + $signed(row3[17:15]) * $signed(mine3[17:15])
            + $signed(row3[20:18]) * $signed(mine3[20:18]);
    end
    reg [63:0] keys4 [0:COLUMNS-1];
    reg [63:0] row4, mine4;
    reg signed [AW-1:0] score4;
    always @(posedge clk) begin
        row4 <= keys4[key_column];
        if (learned && head == 4)
            keys4[col] <= {own, key[1:0], key[8:7], key[15:14], key[22:21], key[29:28], key[36:35], key[43:42], key[52:49], key[59:56], key[66:63], key[73:70], key[80:77], key[87:84], key[94:91], key[101:98]};
        if (mine_next) mine4 <= row4;
        score4 <= $signed(row4[3:0]) * $signed(mine4[3:0])
            + $signed(row4[7:4]) * $signed(mine4[7:4])
            + $signed(row4[11:8]) * $signed(mine4[11:8])
            + $signed(row4[15:12]) * $signed(mine4[15:12])
            + $signed(row4[19:16]) * $signed(mine4[19:16])
            + $signed(row4[23:20]) * $signed(mine4[23:20])
            + $signed(row4[27:24]) * $signed(mine4[27:24])
            + $signed(row4[31:28]) * $signed(mine4[31:28])
            + $signed(row4[33:32]) * $signed(mine4[33:32])
            + $signed(row4[35:34]) * $signed(mine4[35:34])
            + $signed(row4[37:36]) * $signed(mine4[37:36])
            + $signed(row4[39:38]) * $signed(mine4[39:38])
            + $signed(row4[41:40]) * $signed(mine4[41:40])
            + $signed(row4[43:42]) * $signed(mine4[43:42])
            + $signed(row4[45:44]) * $signed(mine4[45:44]);
    end
    reg [38:0] keys5 [0:COLUMNS-1];
    reg [38:0] row5, mine5;
    reg signed [AW-1:0] score5;
    always @(posedge clk) begin
        row5 <= keys5[key_column];
        if (learned && head == 5)
            keys5[col] <= {own, key[1:0], key[8:7], key[15:14], key[22:21], key[29:28], key[36:35], key[43:42], key[50:49], key[60:56]};
        if (mine_next) mine5 <= row5;
        score5 <= $signed(row5[4:0]) * $signed(mine5[4:0])
            + $signed(row5[6:5]) * $signed(mine5[6:5])
            + $signed(row5[8:7]) * $signed(mine5[8:7])
            + $signed(row5[10:9]) * $signed(mine5[10:9])
            + $signed(row5[12:11]) * $signed(mine5[12:11])
            + $signed(row5[14:13]) * $signed(mine5[14:13])
            + $signed(row5[16:15]) * $signed(mine5[16:15])
            + $signed(row5[18:17]) * $signed(mine5[18:17])
            + $signed(row5[20:19]) * $signed(mine5[20:19]);
    end
    reg [118:0] keys6 [0:COLUMNS-1];
    reg [118:0] row6, mine6;
    reg signed [AW-1:0] score6;
    always @(posedge clk) begin
        row6 <= keys6[key_column];
        if (learned && head == 6)
            keys6[col] <= {own, key[4:0], key[11:7], key[18:14], key[25:21], key[32:28], key[39:35], key[46:42], key[53:49], key[62:56], key[68:63], key[75:70], key[82:77], key[89:84], key[96:91], key[103:98], key[110:105], key[117:112], key[124:119]};
        if (mine_next) mine6 <= row6;
        score6 <= $signed(row6[5:0]) * $signed(mine6[5:0])
            + $signed(row6[11:6]) * $signed(mine6[11:6])
            + $signed(row6[17:12]) * $signed(mine6[17:12])
            + $signed(row6[23:18]) * $signed(mine6[23:18])
            + $signed(row6[29:24]) * $signed(mine6[29:24])
            + $signed(row6[35:30]) * $signed(mine6[35:30])
            + $signed(row6[41:36]) * $signed(mine6[41:36])
            + $signed(row6[47:42]) * $signed(mine6[47:42])
            + $signed(row6[53:48]) * $signed(mine6[53:48])
            + $signed(row6[60:54]) * $signed(mine6[60:54])
            + $signed(row6[65:61]) * $signed(mine6[65:61])
            + $signed(row6[70:66]) * $signed(mine6[70:66])
            + $signed(row6[75:71]) * $signed(mine6[75:71])
            + $signed(row6[80:76]) * $signed(mine6[80:76])
            + $signed(row6[85:81]) * $signed(mine6[85:81])
            + $signed(row6[90:86]) * $signed(mine6[90:86])
            + $signed(row6[95:91]) * $signed(mine6[95:91])
            + $signed(row6[100:96]) * $signed(mine6[100:96]);
    end
    reg [66:0] keys7 [0:COLUMNS-1];
    reg [66:0] row7, mine7;
    reg signed [AW-1:0] score7;
    always @(posedge clk) begin
        row7 <= keys7[key_column];
        if (learned && head == 7)
            keys7[col] <= {own, key[6:0], key[13:7], key[20:14], key[27:21], key[34:28], key[41:35], key[48:42]};
        if (mine_next) mine7 <= row7;
        score7 <= $signed(row7[6:0]) * $signed(mine7[6:0])
            + $signed(row7[13:7]) * $signed(mine7[13:7])
            + $signed(row7[20:14]) * $signed(mine7[20:14])
            + $signed(row7[27:21]) * $signed(mine7[27:21])
            + $signed(row7[34:28]) * $signed(mine7[34:28])
            + $signed(row7[41:35]) * $signed(mine7[41:35])
            + $signed(row7[48:42]) * $signed(mine7[48:42]);
    end
    reg [52:0] keys8 [0:COLUMNS-1];
    reg [52:0] row8, mine8;
    reg signed [AW-1:0] score8;
    always @(posedge clk) begin
        row8 <= keys8[key_column];
        if (learned && head == 8)
            keys8[col] <= {own, key[4:0], key[11:7], key[18:14], key[25:21], key[32:28], key[39:35], key[46:42]};
        if (mine_next) mine8 <= row8;
        score8 <= $signed(row8[4:0]) * $signed(mine8[4:0])
            + $signed(row8[9:5]) * $signed(mine8[9:5])
            + $signed(row8[14:10]) * $signed(mine8[14:10])
            + $signed(row8[19:15]) * $signed(mine8[19:15])
            + $signed(row8[24:20]) * $signed(mine8[24:20])
            + $signed(row8[29:25]) * $signed(mine8[29:25])
            + $signed(row8[34:30]) * $signed(mine8[34:30]);
    end
    reg signed [AW-1:0] score, read_own, my_own;
    always @* begin
        {score, read_own, my_own} = 0;
        case (head)
            0: begin
                score = score0;
                read_own = row0[38:21];
                my_own = mine0[38:21];
            end
            1: begin
                score = score1;
                read_own = row1[38:21];
                my_own = mine1[38:21];
            end
            2: begin
                score = score2;
                read_own = row2[38:21];
                my_own = mine2[38:21];
            end
            3: begin
                score = score3;
                read_own = row3[38:21];
                my_own = mine3[38:21];
            end
            4: begin
                score = score4;
                read_own = row4[63:46];
                my_own = mine4[63:46];
            end
            5: begin
                score = score5;
                read_own = row5[38:21];
                my_own = mine5[38:21];
            end
            6: begin
                score = score6;
                read_own = row6[118:101];
                my_own = mine6[118:101];
            end
            7: begin
                score = score7;
                read_own = row7[66:49];
                my_own = mine7[66:49];
            end
            8: begin
                score = score8;
                read_own = row8[52:35];
                my_own = mine8[52:35];
            end
            default: ;
        endcase
    end

    // Whoever reaches an idle column's score with itself disturbs it.
    wire disturbs = scan_scored && !checking && scored_idle && score >= scored_own;
    wire clashes = scored_idle && scored_column != col && (score >= scored_own || score >= my_own);
    wire better = first || score > best;
    wire alone = done && op == SCAN && solo;
    wire tie_write = alone || (scan_scored && (better || score == best));
    wire [CW-1:0] tie_at = alone || better ? 0 : ties[CW-1:0];
    always @(posedge clk) begin
        mine_next <= ready && op == SCAN && !solo && !scanning && !mine_next;
        if (mine_next) begin
            scanning <= 1;
            scan_next <= 0;
            first <= 1;
        end
        scan_read <= scanning && scan_next != COLUMNS;
        if (scanning && scan_next != COLUMNS) scan_next <= scan_next + 1'b1;
        read_column <= key_column;
        read_idle <= idle[key_column];
        scan_scored <= scan_read;
        scored_column <= read_column;
        scored_idle <= read_idle;
        scored_own <= read_own;
        if (scan_scored) first <= 0;
        if (scan_scored && better) best <= score;
        if (tie_write) tied[tie_at] <= alone ? col : scored_column;
        if (tie_write) ties <= alone || better ? 1 : ties + 1'b1;
        if (scan_done) scanning <= 0;
        if (!checking) conflict <= 0;
        else if (scan_scored && clashes) conflict <= 1;
        if (reset) {scanning, mine_next, scan_read, scan_scored} <= 0;
    end

    // ---- Columns in their turn ------------------------------------------------------------------
    reg [CW-1:0] queue_read;
    wire accepts = state == ACCEPT || state == RENEW;
    wire [CW:0] queue_to = disturbs ? length : state == REJECT ? working : kept;
    always @(posedge clk) begin
        queue_read <= queue[at[CW-1:0]];
        if (disturbs || state == REJECT || state == KEEP)
            queue[queue_to[CW-1:0]] <= disturbs ? scored_column : col;
        if (disturbs || accepts || state == CLEAR) idle[disturbs ? scored_column : col] <= accepts;
    end

    always @(posedge clk) begin
        base <= col * ROWS;
        swept <= sweeps && row != ROWS;
        swept_row <= row;
        if (busy) cycles <= cycles + 1'b1;
        if (disturbs) length <= length + 1'b1;
        case (state)
            IDLE: begin
                col <= 0;
                layer <= 0;
                solo <= 0;
                checking <= 0;
                loading <= start;
                length <= working;
                if (start || (step && !halted)) cycles <= 0;
                if (start) working <= 0;
                if (start) state <= CLEAR;
                else if (step && !halted) state <= LAYER;
            end
            CLEAR: begin
                col <= col == COLUMNS - 1 ? 0 : col + 1'b1;
                if (col == COLUMNS - 1) state <= ASK;
            end

            ASK: sweep(COPY, LEARN);
            LEARN: begin
                layer <= 0;
                solo <= 1;
                call(4251, SOLO);
            end
            SOLO: call(visit_entry, SOLO_DONE);
            SOLO_DONE: sweep(COMPARE, SOLO_SAME);
            SOLO_SAME: begin
                layer <= layer + 1'b1;
                if (!same || layer == LAYERS - 1) solo <= 0;
                checking <= same && layer == LAYERS - 1;
                if (!same) sweep(RESTORE, REJECT);
                else if (layer != LAYERS - 1) state <= SOLO;
                else call(4668, JUDGE);
            end
            JUDGE: begin
                checking <= 0;
                state <= conflict ? REJECT : ACCEPT;
            end
            ACCEPT: state <= NEXT_COLUMN;
            REJECT: begin
                working <= working + 1'b1;
                state <= NEXT_COLUMN;
            end
            NEXT_COLUMN: begin
                if (loading) col <= col + 1'b1;
                at <= at + 1'b1;
                if (!loading) turn(CHANGED);
                else state <= col == COLUMNS - 1 ? FINISH : ASK;
            end

            LAYER: begin
                at <= 0;
                fresh <= length;
                turn(has_heads ? PREPARE : VISIT);
            end
            PREPARE: begin
                col <= queue_read;
                at <= at == length ? 0 : at + 1'b1;
                if (at == length) turn(VISIT);
                else call(learn_entry, PREPARE);
            end
            VISIT: begin
                col <= queue_read;
                kept <= working;
                at <= at == length ? working : at + 1'b1;
                if (at == length) turn(SETTLE);
                else call(visit_entry, VISIT);
            end
            SETTLE: begin
                col <= queue_read;
                if (at == length) state <= NEXT_LAYER;
                else sweep(COMPARE, SETTLED);
            end
            SETTLED: begin
                if (!same) state <= KEEP;
                else if (at < fresh) call(4251, RENEW);
                else state <= RENEW;
            end
            RENEW: begin
                at <= at + 1'b1;
                turn(SETTLE);
            end
            KEEP: begin
                kept <= kept + 1'b1;
                at <= at + 1'b1;
                turn(SETTLE);
            end
            NEXT_LAYER: begin
                length <= kept;
                layer <= layer + 1'b1;
                at <= working;
                if (layer == LAYERS - 1) turn(CHANGED);
                else state <= LAYER;
            end
            CHANGED: begin
                col <= at == length ? 0 : queue_read;
                state <= at == length ? FINISH : ASK;
            end
            FINISH: begin
                col <= 0;
                call(4678, IDLE);
            end

            QUEUE: state <= then;
            CALL: state <= RUN;
            RUN: if (ready && op == END) state <= then;
            SEEK: begin
                row <= 0;
                same <= 1;
                state <= SWEEP;
            end
            SWEEP: begin
                if (row != ROWS) row <= row + 1'b1;
                if (swept && x_read != held_read) same <= 0;
                if ((row == ROWS && !swept) || (purpose == COMPARE && !same)) state <= then;
            end
            default: state <= IDLE;
        endcase
        if (reset) begin
            state <= IDLE;
            working <= 0;
            cycles <= 0;
        end
    end

    // Go on with a column of the queue, after microcode, after a sweep over the column's rows.
    task turn(input [4:0] next);
        begin
            then <= next;
            state <= QUEUE;
        end
    endtask
    task call(input [PW-1:0] first_word, input [4:0] next);
        begin
            entry <= first_word;
            then <= next;
            state <= CALL;
        end
    endtask
    task sweep(input [1:0] what, input [4:0] next);
        begin
            purpose <= what;
            then <= next;
            state <= SEEK;
        end
    endtask
endmodule
