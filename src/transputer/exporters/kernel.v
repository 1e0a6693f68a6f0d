// A looped transformer as a circuit: @ROWS@ rows, @COLUMNS@ columns, @LAYERS@ layers, @HEADS@ heads.
//
// The weights are the microcode in @ROM@, about one word for each nonzero; the state
// is in `x`. Nothing here knows what a program is.
//
// A column is idle if every layer, with its heads on itself, leaves it as it is, and no other idle
// column scores with it as much as it does itself. `start` works that out for all columns, a step for
// those that it has changed. A step visits the columns that are not idle, and those that one of
// them disturbs by reaching their score with themselves. Keys and values of idle columns are kept.
//
// Bus: entry COLUMN * @ROWS@ + ROW of the state is at `address`: written with `write`, read one cycle
// later. `start` once it is loaded, then `step`. Each raises `busy`, and counts its `cycles`.

module @NAME@ (
    input clk,
    input reset,
    input write,
    input [@XA@-1:0] address,
    input signed [@XW@-1:0] write_data,
    output signed [@XW@-1:0] read_data,
    input start,
    input step,
    output busy,
    output reg halted,
    output reg [47:0] cycles,
    output reg [@CW@:0] working  // columns that every step visits
);
    localparam ROWS = @ROWS@, COLUMNS = @COLUMNS@, LAYERS = @LAYERS@, VALUES = @VALUES@;
    // Bits: of rows, columns, layers, heads; of places in x and in rom; of what beside an operation
    localparam RW = @RW@, CW = @CW@, LW = @LW@, NW = @NW@, XA = @XA@, PW = @PW@, IW = @IW@;
    // Bits: of entries in a step and between steps, of values, sums, key entries, weights
    localparam XW = @XW@, HW = @HW@, VW = @VW@, AW = @AW@, KW = @KW@, WW = @WW@;

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
    reg [4+IW+WW-1:0] rom [0:@WORDS@-1];
    integer i;
    initial begin
        for (i = 0; i < ROWS; i = i + 1) delta[i] = 0;
        $readmemh("@ROM@", rom);
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
@ENTRIES@
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
    reg [@KEYBITS@-1:0] key;  // the entries of a key as they come

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
@KEYS@
    reg signed [AW-1:0] score, read_own, my_own;
    always @* begin
        {score, read_own, my_own} = 0;
        case (head)
@SCORES@
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
                call(@LEARN_ALL@, SOLO);
            end
            SOLO: call(visit_entry, SOLO_DONE);
            SOLO_DONE: sweep(COMPARE, SOLO_SAME);
            SOLO_SAME: begin
                layer <= layer + 1'b1;
                if (!same || layer == LAYERS - 1) solo <= 0;
                checking <= same && layer == LAYERS - 1;
                if (!same) sweep(RESTORE, REJECT);
                else if (layer != LAYERS - 1) state <= SOLO;
                else call(@CHECK_ALL@, JUDGE);
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
                else if (at < fresh) call(@LEARN_ALL@, RENEW);
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
                call(@STOP_ENTRY@, IDLE);
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
