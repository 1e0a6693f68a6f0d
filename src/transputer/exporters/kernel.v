// A looped transformer as a circuit: @ROWS@ rows, @COLUMNS@ columns, @LAYERS@ layers, @HEADS@ heads.
//
// The weights are the microcode in @ROM@; the state is in `x`. Nothing here knows what a program is.
//
// Rows lie in @LANES@ lanes, each with its memory and multiplier: a word of microcode multiplies one
// row of every lane by a weight, and the products are summed in a pipeline, a word a cycle. Scans
// read the keys of @SPAN@ columns a cycle.
//
// A column is idle if every layer, with its heads on itself, leaves it as it is, and no other idle
// column scores with it as much as it does itself. `start` works that out for all columns, a step for
// those that it has changed. A step visits the columns that are not idle, and those that one of
// them disturbs by reaching their score with themselves. Keys and values of idle columns are kept.
//
// Bus: `address` is {index, column, lane}; the row with number R in the model is at the index and
// lane that the file with the initial state uses. Entries are written with `write`, read three
// cycles later. `start` once they are loaded, then `step`. Each raises `busy`, and counts its `cycles`.

module @NAME@ (
    input clk,
    input reset,
    input write,
    input [@XA@-1:0] address,
    input signed [@XW@-1:0] write_data,
    output reg signed [@XW@-1:0] read_data,
    input start,
    input step,
    output reg busy,
    output reg halted,
    output reg [47:0] cycles,
    output reg [@CW@:0] working  // columns that every step visits
);
    localparam COLUMNS = @COLUMNS@, LAYERS = @LAYERS@;
    // Lanes of rows, columns of a scan; indices in a lane of rows, products and values
    localparam LANES = @LANES@, SPAN = @SPAN@, DEPTH = @DEPTH@, PDEPTH = @PDEPTH@, VDEPTH = @VDEPTH@;
    localparam GROUPS = (COLUMNS + SPAN - 1) / SPAN;
    // Bits: of lanes, of columns in a scan, of groups of columns; of these indices
    localparam LB = @LB@, SB = @SB@, GB = @GB@, IB = @IB@, PB = @PB@, VB = @VB@, OB = @OB@;
    // Bits: of columns, layers, heads; of places in rom; of what beside an operation
    localparam CW = @CW@, LW = @LW@, NW = @NW@, PW = @PW@, IW = @IW@;
    // Bits: of entries in a step and between steps, of values, key entries, weights
    localparam XW = @XW@, HW = @HW@, VW = @VW@, KW = @KW@, WW = @WW@;
    // Bits: of forms, products and means, scores, sums of the values that tie
    localparam FW = @FW@, MW = @MW@, SW = @SW@, TW = @TW@, OW = XW > MW ? XW : MW;
    localparam SLOTS = @SLOTS@, KEYBITS = @KEYBITS@;  // entries of the longest key; bits of a key

    // Microcode: leap, operation, number, and an index and a weight for each lane. The first eight
    // stream, one a cycle. All but ADD are terms of a form over rows, and name what becomes of it.
    localparam [3:0]
        TERM = 0,   // more terms follow
        ADD = 1,    // in every lane: x[index] += weight * product with the number
        GATE = 2,   // if the form is positive, the neurons at the number are open
        VALUE = 3,  // product = gate * form
        KEY = 4,    // the form is the next entry of a key
        KEYS = 5,   // the form is the last entry of the key of a head
        HOLD = 6,   // the form is a value
        STOP = 7,   // whether the form says that it has stopped
        WAIT = 8,   // until what streams is through, as all that follow do
        EACH = 9,   // the neurons of every open gate, then the number
        SCAN = 10,  // find the columns that a head attends to
        MEAN = 11,  // products = means of their values, one in every lane
        END = 12;
    localparam LANE = IB + WW, WORD = 5 + IW + LANES * LANE;

    reg [CW-1:0] queue [0:(1<<CW)-1];  // columns to visit; those of every step come first
    reg [CW-1:0] tied [0:(1<<CW)-1];
    reg [WORD-1:0] rom [0:@WORDS@-1];
    reg [PW-1:0] open_at [0:(1<<OB)-1];
    reg signed [FW-1:0] open_gate [0:(1<<OB)-1];
    initial $readmemh("@ROM@", rom);

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
    reg [CW:0] length, at, kept, fresh;  // of the queue; from `fresh` on its keys are those before
    reg [LW-1:0] layer;
    reg [PW-1:0] entry;
    reg [IB:0] row, row_1, row_2;
    reg sweeps, swept_1, swept_2, compared;  // a sweep: rows read, in registers, compared
    reg executing;                           // state is RUN; as `sweeps` and `busy`, a register

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

    // ---- Microcode: fetched in two cycles. A word that leaps is followed by two more ---------------
    reg [PW-1:0] pc, resume;
    reg rom_on, word_on;
    reg [WORD-1:0] rom_read, word;
    reg issue, pauses, is_each, is_scan, is_mean, is_end, is_add;  // what the word is
    wire [3:0] rom_op = rom_read[WORD-2 -: 4];
    wire leap = word[WORD-1];
    wire [3:0] op = word[WORD-2 -: 4];
    wire [IW-1:0] number = word[WORD-6 -: IW];

    // What streams: a word, its rows, operands, products, sums of four, their sum, the form, after
    reg on_b, on_c, on_d, on_e, on_f, on_g, on_h, add_b, add_d, add_e, learned;
    reg quiet;  // nothing streams
    reg [3:0] op_b, op_c, op_d, op_e, op_f, op_g, op_h;
    reg [IW-1:0] number_b, number_c, number_d, number_e, number_f, number_g, number_h;
    reg signed [FW-1:0] gate_pc, gate_rom, gate_a, gate_b, gate_c, gate_d, gate_e, gate_f, gate_g;
    reg signed [FW-1:0] total, total_h;
    reg positive_h;

    reg [OB:0] opens, next_open;
    wire [PW-1:0] opened = open_at[next_open[OB-1:0]];
    // Means of one value and of two stream: read, in a register; added, halved. Those of more are
    // summed, divided and rounded.
    reg single, pair, second, mean_b, mean_c, half_b, half_c, half_d, half_e, mean_done;
    reg [PB-1:0] mean_number_b, mean_number_c, mean_number_d, mean_number_e;
    reg [CW:0] ties;
    reg scan_done;
    wire copies = is_mean && single;
    wire halves = is_mean && pair && second;
    wire alone = is_scan && solo;
    wire opening = is_each && quiet;
    wire finishes = is_end && quiet;
    wire done = copies || halves || alone || scan_done || mean_done || (pauses && quiet);
    wire advance = executing && (!word_on || issue || done);
    always @(posedge clk) begin
        if (advance) begin
            pc <= pc + 1'b1;
            rom_read <= rom[pc];
            word <= rom_read;
            gate_rom <= gate_pc;
            gate_a <= gate_rom;
            rom_on <= 1;
            word_on <= rom_on;
            issue <= rom_on && rom_op <= STOP;
            is_add <= rom_on && rom_op == ADD;
            pauses <= rom_on && (rom_op == WAIT || rom_op == EACH);
            is_each <= rom_on && rom_op == EACH;
            is_scan <= rom_on && rom_op == SCAN;
            is_mean <= rom_on && rom_op == MEAN;
            is_end <= rom_on && rom_op == END;
        end
        if (issue && leap) begin
            pc <= next_open == opens ? resume : opened;
            gate_pc <= open_gate[next_open[OB-1:0]];
            next_open <= next_open == opens ? 0 : next_open + 1'b1;
            if (next_open == opens) opens <= 0;
        end
        if (opening && opens != 0) begin
            pc <= opened;
            gate_pc <= open_gate[next_open[OB-1:0]];
            next_open <= 1;
            resume <= number[PW-1:0];
        end
        if (state == CALL) pc <= entry;
        if (reset || state == CALL || finishes || (opening && opens != 0))
            {rom_on, word_on, issue, is_add, pauses, is_each, is_scan, is_mean, is_end} <= 0;
        if (on_h && op_h == GATE && positive_h) begin
            open_at[opens[OB-1:0]] <= number_h[PW-1:0];
            open_gate[opens[OB-1:0]] <= total_h;
            opens <= opens + 1'b1;
        end
        if (reset) begin
            opens <= 0;
            next_open <= 0;
        end
    end

    // ---- Forms: a sum of the lanes' products ----------------------------------------------------
    wire value_h = on_h && op_h == VALUE;
    reg signed [FW-1:0] part;
    reg signed [MW-1:0] product;
    reg more_terms;
    wire [LANES*FW-1:0] multiplied;
    wire [LANES*XW-1:0] x_rows;
    wire [LANES-1:0] differs;
    reg [LANES/4*FW-1:0] fours;
    reg [LB-1:0] read_lane, read_lane_2;
    reg [CW-1:0] tie, winner, runner_up;
    reg averaging, dividing, tie_read, value_read, value_ready;
    reg [CW:0] tie_next;
    reg [7:0] digits;
    reg summing, rounds, rounds_2, rounds_3;  // a mean of several, and its last cycles
    wire summed = averaging && tie_next == ties && !tie_read && !value_read && !value_ready;
    wire divided = dividing && digits == 0;
    wire [CW+2:0] twice_ties = ties;

    genvar b;
    generate
        for (b = 0; b < LANES; b = b + 1) begin : lane
            // Memories: one port to read, one to write.
            reg signed [XW-1:0] x [0:(DEPTH<<CW)-1];
            reg signed [HW-1:0] held [0:(DEPTH<<CW)-1];  // columns as they were before the step
            reg signed [VW-1:0] values [0:(VDEPTH<<CW)-1];
            reg signed [MW-1:0] products [0:PDEPTH-1];
`ifndef SYNTHESIS  // places without a row are read, with weight 0
            integer i;
            initial begin
                for (i = 0; i < DEPTH << CW; i = i + 1) x[i] = 0;
                for (i = 0; i < DEPTH << CW; i = i + 1) held[i] = 0;
                for (i = 0; i < VDEPTH << CW; i = i + 1) values[i] = 0;
                for (i = 0; i < PDEPTH; i = i + 1) products[i] = 0;
            end
`endif
            reg [PDEPTH-1:0] live;  // products of closed gates are 0
            integer p;
            wire [IB-1:0] index = word[b*LANE+WW +: IB];
            wire here_g = number_g[LB-1:0] == b;

            // The state. A row that is added to is read, in a register, then written; if it is still
            // being written when it is read, the register takes what is written.
            reg signed [FW-1:0] term;
            reg signed [XW-1:0] x_read, x_row, written;
            reg signed [HW-1:0] held_read, held_row;
            reg different, behind, add_last;
            reg [IB-1:0] index_b, index_c, index_d, index_e, index_f;
            reg signed [XW-1:0] addend, addend_f;
            wire again = add_d && index_d == index_e;  // one more term for the same row follows
            wire [IB-1:0] from = sweeps ? row[IB-1:0] : add_d ? index_d : index;
            wire [IB-1:0] to = sweeps ? row_2[IB-1:0] : index_f;
            wire [IB+CW-1:0] x_from = busy ? {from, col} : address[LB +: IB+CW];
            wire [IB+CW-1:0] x_to = busy ? {to, col} : address[LB +: IB+CW];
            wire x_write = !busy ? write && address[LB-1:0] == b
                : sweeps ? swept_2 && purpose == RESTORE : add_last;
            wire signed [XW-1:0] x_data = !busy ? write_data
                : sweeps ? held_row : x_row + addend_f;
            assign x_rows[b*XW +: XW] = x_row;
            assign differs[b] = different;
            always @(posedge clk) begin
                x_read <= x[x_from];
                if (x_write) x[x_to] <= x_data;
                held_read <= held[{from, col}];
                if (sweeps && swept_2 && purpose == COPY) held[{to, col}] <= x_row[HW-1:0];
                behind <= add_last && index_d == index_f;
                written <= x_row + addend_f;
                x_row <= behind ? written : x_read;
                held_row <= held_read;
                different <= x_row != held_row;
                {index_b, index_c, index_d} <= {index, index_b, index_c};
                {index_e, index_f} <= {index_d, index_e};
                addend <= add_e && again ? addend + $signed(term[XW-1:0]) : term[XW-1:0];
                addend_f <= addend;
                add_last <= add_e && !again;
            end

            // A term: the row or product of the word, and its weight
            reg signed [WW-1:0] weight_b, weight_c;
            reg signed [MW-1:0] product_read;
            reg signed [OW-1:0] operand;
            reg live_read;
            assign multiplied[b*FW +: FW] = term;
            always @(posedge clk) begin
                product_read <= products[number[PB-1:0]];
                live_read <= live[number[PB-1:0]];
                weight_b <= word[b*LANE +: WW];
                weight_c <= weight_b;
                operand <= !add_b ? x_read : live_read ? product_read : 0;
                term <= operand * weight_c;
            end

            // A mean of two is a shift; of more, a division, a digit a cycle.
            reg signed [VW-1:0] value, value_row, value_before;
            reg signed [VW:0] sum_of_two;
            reg signed [VW-1:0] mean_of_two;
            wire signed [VW-1:0] half = sum_of_two >>> 1;
            reg signed [TW-1:0] sum;
            reg [TW-1:0] quotient;
            reg [CW+1:0] remainder;
            reg up;
            reg signed [MW-1:0] rounded, mean;
            wire [CW+1:0] shifted = {remainder[CW:0], quotient[TW-1]};
            wire [CW+2:0] doubled = {remainder, 1'b0};
            wire writes = mean_c || half_e || mean_done || (value_h && number_h[LB-1:0] == b);
            wire [PB-1:0] product_to = mean_c ? mean_number_c : half_e ? mean_number_e
                : mean_done ? number[PB-1:0] : number_h[LB +: PB];
            always @(posedge clk) begin
                value <= values[{number[VB-1:0], averaging ? tie : pair && !second ? runner_up : winner}];
                {value_row, value_before} <= {value, value_row};
                sum_of_two <= value_row + value_before;
                mean_of_two <= half + $signed({1'b0, sum_of_two[0] & half[0]});  // to the even one
                if (on_g && op_g == HOLD && here_g)
                    values[{number_g[LB +: VB], col}] <= total[VW-1:0];
                if (!summing) sum <= 0;
                else if (value_ready) sum <= sum + value_row;
                if (summed) begin
                    remainder <= 0;
                    quotient <= sum < 0 ? -sum : sum;
                end else if (dividing && !divided) begin
                    quotient <= {quotient[TW-2:0], shifted >= ties};
                    remainder <= shifted >= ties ? shifted - ties : shifted;
                end
                up <= doubled > twice_ties || (doubled == twice_ties && quotient[0]);
                rounded <= quotient + up;
                mean <= sum < 0 ? -rounded : rounded;
                if (writes) products[product_to] <= mean_c ? value_row
                    : half_e ? mean_of_two : mean_done ? mean : product;
                for (p = 0; p < PDEPTH; p = p + 1) if (writes && product_to == p) live[p] <= 1;
                if (reset || opening) live <= 0;
            end
        end
    endgenerate

    // Choices are written as ANDs and ORs: of a variable part-select, tools make a multiplication.
    integer four, l;
    reg signed [FW-1:0] sum_of_fours;
    reg [XW-1:0] read_row;
    always @* begin
        read_row = 0;
        for (l = 0; l < LANES; l = l + 1)
            read_row = read_row | {XW{read_lane_2 == l}} & x_rows[l*XW +: XW];
        sum_of_fours = 0;
        for (four = 0; four < LANES / 4; four = four + 1)
            sum_of_fours = sum_of_fours + $signed(fours[four*FW +: FW]);
    end
    always @(posedge clk) begin
        {read_lane_2, read_lane} <= {read_lane, address[LB-1:0]};
        read_data <= read_row;
        for (four = 0; four < LANES / 4; four = four + 1)
            fours[four*FW +: FW] <= $signed(multiplied[(4*four)*FW +: FW])
                + $signed(multiplied[(4*four+1)*FW +: FW])
                + $signed(multiplied[(4*four+2)*FW +: FW])
                + $signed(multiplied[(4*four+3)*FW +: FW]);
        part <= sum_of_fours;
        if (on_f) total <= more_terms ? total + part : part;
        if (on_f) more_terms <= op_f == TERM;
        product <= gate_g * total;
        total_h <= total;
        positive_h <= total > 0;

        {on_b, on_c, on_d, on_e} <= {issue, on_b, on_c, on_d};
        {add_b, add_d} <= {is_add, on_c && op_c == ADD};
        add_e <= add_d;
        on_f <= on_e && op_e != ADD;
        on_g <= on_f && op_f != TERM;
        on_h <= on_g;
        quiet <= !(issue || on_b || on_c || on_d || on_e || on_f || on_g
            || (on_h && op_h == KEYS) || copies || mean_b
            || halves || half_b || half_c || half_d);
        {op_b, op_c, op_d, op_e, op_f, op_g, op_h} <= {op, op_b, op_c, op_d, op_e, op_f, op_g};
        {number_b, number_c, number_d, number_e} <= {number, number_b, number_c, number_d};
        {number_f, number_g, number_h} <= {number_e, number_f, number_g};
        {gate_b, gate_c, gate_d} <= {gate_a, gate_b, gate_c};
        {gate_e, gate_f, gate_g} <= {gate_d, gate_e, gate_f};
        if (on_h && op_h == STOP) halted <= positive_h;
        if (reset) begin
            {on_b, on_c, on_d, on_e, on_f, on_g, on_h, add_d, add_e, more_terms} <= 0;
            quiet <= 1;
            halted <= 0;
        end
    end

    always @(posedge clk) begin
        {mean_b, mean_c} <= {copies, mean_b};
        {half_b, half_c, half_d, half_e} <= {halves, half_b, half_c, half_d};
        {mean_number_b, mean_number_c} <= {number[PB-1:0], mean_number_b};
        {mean_number_d, mean_number_e} <= {mean_number_c, mean_number_d};
        second <= is_mean && pair && !second;
        tie <= tied[tie_next[CW-1:0]];
        tie_read <= averaging && tie_next != ties;
        {value_read, value_ready} <= {tie_read, value_read};
        if (averaging && tie_next != ties) tie_next <= tie_next + 1'b1;
        if (is_mean && !single && !pair && !summing) begin
            summing <= 1;
            averaging <= 1;
            tie_next <= 0;
        end
        if (summed) begin
            averaging <= 0;
            dividing <= 1;
            digits <= TW;
        end
        if (divided) dividing <= 0;
        else if (dividing) digits <= digits - 1'b1;
        rounds <= divided;
        {rounds_2, rounds_3, mean_done} <= {rounds, rounds_2, rounds_3};
        if (mean_done) summing <= 0;
        if (reset) {summing, averaging, dividing, tie_read, value_read, value_ready} <= 0;
        if (reset) {second, mean_b, mean_c, half_b, half_c, half_d, half_e, rounds, rounds_2, rounds_3, mean_done} <= 0;
    end

    // ---- Keys: the entries as they come, the last in slot 0, and their self-score -----------------
    reg [SLOTS*KW-1:0] key;
    reg signed [KW-1:0] key_entry;
    reg signed [SW-1:0] square, own;
    reg new_key;
    reg [NW-1:0] learned_head;
    wire key_h = on_h && (op_h == KEY || op_h == KEYS);
    wire [KEYBITS-1:0] packed_key = @PACKED@;
    always @(posedge clk) begin
        key_entry <= total[KW-1:0];
        square <= $signed(total[KW-1:0]) * $signed(total[KW-1:0]);
        if (key_h) begin
            key <= {new_key ? {SLOTS*KW{1'b0}} : key, key_entry};
            own <= new_key ? square : own + square;
            new_key <= op_h == KEYS;
        end
        learned <= on_h && op_h == KEYS;
        learned_head <= number_h[NW-1:0];
        if (reset) {learned, new_key} <= 1;
    end

    // ---- Attention: the scores of a group of columns a cycle; those that matter one by one --------
    // Stages: a group's keys are read, in registers, multiplied, summed (score: stage SCORED).
    localparam SCORED = 3 + @SUMS@;
    wire [NW-1:0] head = number[NW-1:0];
    reg scanning, own_1, own_2, own_3;  // the scanned column's own key comes first
    wire begins = is_scan && !solo && !scanning;
    reg [GB:0] scan_next;
    reg [SCORED:1] on;
    reg [(SCORED+1)*GB-1:0] groups;  // of stages 1 to SCORED, and of those pending
    reg [SPAN-1:0] pending;
    reg chosen;
    wire [GB-1:0] key_group = scanning ? scan_next[GB-1:0] : col[CW-1:SB];
    wire [GB-1:0] group_scored = groups[(SCORED-1)*GB +: GB];
    wire [GB-1:0] group_pending = groups[SCORED*GB +: GB];
    wire scans = scanning && scan_next != GROUPS;
    reg [KEYBITS+SW-1:0] mine;
    wire signed [SW-1:0] my_own = mine[KEYBITS +: SW];
    wire [SPAN*(KEYBITS+SW)-1:0] key_rows;
    wire [SPAN*SW-1:0] scores, owns;
    wire [SPAN-1:0] idles, matter;
    reg signed [SW-1:0] best;
    // The one that matters
    reg signed [SW-1:0] score, score_own;
    reg [CW-1:0] scored_column;
    reg scored_idle;
    // Whoever reaches an idle column's score with itself disturbs it.
    wire disturbs = chosen && !checking && scored_idle && score >= score_own;
    wire accepts = state == ACCEPT || state == RENEW;
    wire idle_write = disturbs || accepts || state == CLEAR;
    wire [CW-1:0] idle_column = disturbs ? scored_column : col;
    wire clashes = scored_idle && scored_column != col && (score >= score_own || score >= my_own);
    wire better = score > best;
    wire tie_write = alone || (chosen && !checking && score >= best);
    wire [CW-1:0] tie_at = alone || better ? 0 : ties[CW-1:0];

    // The lowest of those pending is chosen. While more remain, the stages before are emptied, and
    // the scan goes on with the next group: this is rare, and no stage ever has to wait.
    reg [SPAN-1:0] lowest;
    reg several, none;
    reg signed [SW-1:0] lowest_score, lowest_own;
    reg lowest_idle;
    reg [SB-1:0] lowest_column;
    reg [KEYBITS+SW-1:0] own_row;
    integer s;
    always @* begin
        own_row = 0;
        {several, none} = 1;
        {lowest_score, lowest_own, lowest_idle, lowest_column} = 0;
        for (s = 0; s < SPAN; s = s + 1) begin
            lowest[s] = pending[s] && none;
            several = several || (pending[s] && !none);
            none = none && !pending[s];
            lowest_score = lowest_score | {SW{lowest[s]}} & scores[s*SW +: SW];
            lowest_own = lowest_own | {SW{lowest[s]}} & owns[s*SW +: SW];
            lowest_idle = lowest_idle || (lowest[s] && idles[s]);
            lowest_column = lowest_column | {SB{lowest[s]}} & s[SB-1:0];
            own_row = own_row | {KEYBITS+SW{col[SB-1:0] == s}} & key_rows[s*(KEYBITS+SW) +: KEYBITS+SW];
        end
    end

    genvar c;
    generate
        for (c = 0; c < SPAN; c = c + 1) begin : span
            reg [KEYBITS+SW-1:0] keys [0:(@HEADS@<<GB)-1];  // self-score, entries
            reg idle [0:(1<<GB)-1];
`ifndef SYNTHESIS  // columns beyond the last are scanned, and do not matter
            integer i;
            initial begin
                for (i = 0; i < @HEADS@ << GB; i = i + 1) keys[i] = 0;
                for (i = 0; i < 1 << GB; i = i + 1) idle[i] = 0;
            end
`endif
            reg [KEYBITS+SW-1:0] key_read, key_row;
            reg [(SCORED-2)*SW-1:0] own_scores;  // of stages 3 to SCORED
            reg [SCORED:1] idle_at;
            reg signed [SW-1:0] score_pending, own_pending;
            reg idle_pending;
            localparam [SB-1:0] HERE = c;
            wire [CW-1:0] column_scored = {group_scored, HERE};
            wire signed [SW-1:0] scored, own_scored;
            assign own_scored = own_scores[(SCORED-3)*SW +: SW];
            assign key_rows[c*(KEYBITS+SW) +: KEYBITS+SW] = key_row;
            assign scores[c*SW +: SW] = score_pending;
            assign owns[c*SW +: SW] = own_pending;
            assign idles[c] = idle_pending;
            // `best` may lag behind: it only grows, and who is chosen is compared again
            assign matter[c] = on[SCORED] && {1'b0, column_scored} < COLUMNS
                && (scored >= best || (idle_at[SCORED] && scored >= own_scored));
@SCORES@
            always @(posedge clk) begin
                key_read <= keys[{head, key_group}];
                key_row <= key_read;
                own_scores <= {own_scores, key_row[KEYBITS +: SW]};
                idle_at <= {idle_at, idle[key_group]};
                if (!several) begin
                    score_pending <= scored;
                    own_pending <= own_scored;
                    idle_pending <= idle_at[SCORED];
                end
                if (learned && col[SB-1:0] == HERE) keys[{learned_head, col[CW-1:SB]}] <= {own, packed_key};
                if (idle_write && idle_column[SB-1:0] == HERE) idle[idle_column[CW-1:SB]] <= accepts;
            end
        end
    endgenerate

    always @(posedge clk) begin
        {own_1, own_2, own_3} <= {begins, own_1, own_2};
        if (begins) begin
            scanning <= 1;
            scan_next <= 0;
        end
        if (own_2) mine <= own_row;
        if (scans) scan_next <= scan_next + 1'b1;
        on <= {on, scans};
        groups[SCORED*GB-1:0] <= {groups, scan_next[GB-1:0]};
        if (!several) groups[SCORED*GB +: GB] <= group_scored;
        pending <= several ? pending & ~lowest : matter;
        if (several) begin
            on <= 0;
            scan_next <= group_pending + 1'b1;
        end
        scan_done <= scanning && !scan_done && !scans && on == 0 && none;
        if (scan_done) scanning <= 0;
        chosen <= !none;
        score <= lowest_score;
        score_own <= lowest_own;
        scored_idle <= lowest_idle;
        scored_column <= {group_pending, lowest_column};
        if (alone || chosen) tied[tie_at] <= alone ? col : scored_column;  // counts if `tie_write`
        if (tie_write) begin
            winner <= alone ? col : scored_column;
            runner_up <= winner;
            ties <= alone || better ? 1 : ties + 1'b1;
            single <= alone || better || ties == 0;
            pair <= !alone && !better && ties == 1;
        end
        if (chosen && !checking && better) best <= score;
        if (own_3) begin
            best <= my_own;
            ties <= 0;
        end
        if (!checking) conflict <= 0;
        else if (chosen && clashes) conflict <= 1;
        if (reset) {scanning, scan_done, on, chosen, pending} <= 0;
    end

    // ---- Columns in their turn ------------------------------------------------------------------
    reg [CW-1:0] queue_read;
    wire [CW:0] queue_to = disturbs ? length : state == REJECT ? working : kept;
    always @(posedge clk) begin
        queue_read <= queue[at[CW-1:0]];
        if (disturbs || state == REJECT || state == KEEP)
            queue[queue_to[CW-1:0]] <= disturbs ? scored_column : col;
    end

    always @(posedge clk) begin
        swept_1 <= sweeps && row != DEPTH;
        {swept_2, compared} <= {swept_1, swept_2};
        {row_1, row_2} <= {row, row_1};
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
                if (start || (step && !halted)) {busy, cycles} <= {1'b1, 48'b0};
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
            CALL: begin
                executing <= 1;
                state <= RUN;
            end
            RUN: if (finishes) begin
                executing <= 0;
                busy <= then != IDLE;
                state <= then;
            end
            SEEK: begin
                row <= 0;
                same <= 1;
                sweeps <= 1;
                state <= SWEEP;
            end
            SWEEP: begin
                if (row != DEPTH) row <= row + 1'b1;
                if (compared && differs != 0) same <= 0;
                if (row == DEPTH && !swept_1 && !swept_2 && !compared) begin
                    sweeps <= 0;
                    state <= then;
                end
            end
            default: state <= IDLE;
        endcase
        if (reset) begin
            state <= IDLE;
            {busy, executing, sweeps} <= 0;
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
