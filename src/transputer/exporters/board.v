// The circuit @NAME@ on a ULX3S board: loaded and read over the serial line of its USB plug.
//
// The host sends a letter, and bytes, lowest first; the board answers with bytes, lowest first:
//
//   A, 3 bytes         set the address          R                  answer @BYTES@ bytes, the entry there, and
//   W, @BYTES@ bytes         write an entry there,                       go to the next address
//                      go to the next address   C                  answer 6 bytes: cycles of the last
//   S, N, G            start, step, step until it halts; then answer one byte: whether it has halted
//
// Lights: waiting for the clock, busy, halted, then bits of the steps.

module @NAME@_ulx3s (
    input clk_25mhz,
    input ftdi_txd,   // from the host
    output ftdi_rxd,  // to the host
    output wifi_gpio0,  // high, or the board's other processor may restart it
    output [7:0] led
);
    parameter DIVIDE = @DIVIDE@;  // cycles of a bit: 1 Mbit/s at @MHZ@ MHz
    localparam BYTES = @BYTES@, MOST = BYTES > 3 ? BYTES : 3, XA = @XA@, XW = @XW@;

    // 25 MHz in, 600 MHz inside, @MHZ@ MHz out
    wire clk, locked;
    (* FREQUENCY_PIN_CLKI="25", FREQUENCY_PIN_CLKOP="@MHZ@" *)
    (* ICP_CURRENT="12", LPF_RESISTOR="8", MFG_ENABLE_FILTEROPAMP="1", MFG_GMCREF_SEL="2" *)
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(@MULTIPLY@), .CLKOP_DIV(@OUTPUT_DIVIDE@), .CLKOP_CPHASE(@OUTPUT_DIVIDE@ / 2 - 1), .CLKOP_FPHASE(0),
        .CLKOP_ENABLE("ENABLED"), .FEEDBK_PATH("CLKOP"), .OUTDIVIDER_MUXA("DIVA"),
        .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
    ) pll (
        .CLKI(clk_25mhz), .CLKOP(clk), .CLKFB(clk), .LOCK(locked), .RST(1'b0), .STDBY(1'b0), .ENCLKOP(1'b0),
        .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1)
    );
    reg [3:0] settled = 0;
    reg reset = 1;
    always @(posedge clk) begin
        settled <= !locked ? 4'd0 : settled == 15 ? settled : settled + 1'b1;
        reset <= settled != 15;
    end

    // ---- The circuit ----------------------------------------------------------------------------
    reg write, start, step;
    reg [XA-1:0] address;
    reg signed [XW-1:0] write_data;
@CIRCUIT@

    // ---- Bytes in: a bit is read in its middle ---------------------------------------------------
    reg [2:0] line;
    reg [15:0] in_wait;
    reg [3:0] in_bits;
    reg [7:0] in_byte;
    reg in_ready;
    always @(posedge clk) begin
        line <= {line, ftdi_txd};
        in_ready <= 0;
        if (in_bits == 0) begin
            in_wait <= DIVIDE + DIVIDE / 2 - 1;
            if (!line[2]) in_bits <= 9;
        end else if (in_wait != 0) in_wait <= in_wait - 1'b1;
        else begin
            in_wait <= DIVIDE - 1;
            in_bits <= in_bits - 1'b1;
            if (in_bits != 1) in_byte <= {line[2], in_byte[7:1]};
            else in_ready <= line[2];  // the bit that ends a byte is 1
        end
        if (reset) {in_bits, in_ready, line} <= 3'b111;
    end

    // ---- Bytes out: those of `answer`, lowest first ----------------------------------------------
    reg [63:0] answer;
    reg [3:0] answer_bytes;
    reg [15:0] out_wait;
    reg [3:0] out_bits;
    reg [9:0] out_byte;
    wire answered = answer_bytes == 0 && out_bits == 0;
    assign ftdi_rxd = out_byte[0];

    // ---- Commands ---------------------------------------------------------------------------------
    localparam [2:0] LISTEN = 0, TAKE = 1, READ = 2, RUN = 3, ANSWER = 4;
    reg [2:0] state;
    reg [3:0] left;
    reg [7:0] command;
    reg [8*MOST-1:0] taken;
    reg [4:0] steps;
    always @(posedge clk) begin
        write <= 0;
        start <= 0;
        step <= 0;
        if (write) address <= address + 1'b1;

        if (out_bits != 0) begin
            out_wait <= out_wait == 0 ? DIVIDE - 1 : out_wait - 1'b1;
            if (out_wait == 0) begin
                out_byte <= {1'b1, out_byte[9:1]};
                out_bits <= out_bits - 1'b1;
            end
        end else if (answer_bytes != 0) begin
            out_byte <= {1'b1, answer[7:0], 1'b0};
            answer <= answer >> 8;
            answer_bytes <= answer_bytes - 1'b1;
            out_bits <= 10;
            out_wait <= DIVIDE - 1;
        end

        case (state)
            LISTEN: if (in_ready) begin
                command <= in_byte;
                left <= in_byte == "A" ? 3 : in_byte == "W" ? BYTES : in_byte == "R" ? 2 : 1;
                case (in_byte)
                    "A", "W": state <= TAKE;
                    "R": state <= READ;
                    "S", "N", "G": state <= RUN;
                    "C": begin
                        answer <= cycles;
                        answer_bytes <= 6;
                        state <= ANSWER;
                    end
                    default: ;
                endcase
                if (in_byte == "S") {start, steps} <= {1'b1, 5'd0};
                if (in_byte == "N" || in_byte == "G") {step, steps} <= {1'b1, steps + 1'b1};
            end
            TAKE: begin
                if (in_ready) begin
                    taken <= {in_byte, taken[8*MOST-1:8]};
                    left <= left - 1'b1;
                end
                if (left == 0) begin
                    if (command == "A") address <= taken >> 8 * (MOST - 3);
                    else write_data <= taken >> 8 * (MOST - BYTES);
                    write <= command == "W";
                    state <= LISTEN;
                end
            end
            READ: begin  // an entry comes three cycles after its address
                left <= left - 1'b1;
                if (left == 0) begin
                    answer <= read_data;
                    answer_bytes <= BYTES;
                    address <= address + 1'b1;
                    state <= ANSWER;
                end
            end
            RUN: begin  // `busy` rises in the cycle after the one that sees `start` or `step`
                if (left != 0) left <= left - 1'b1;
                else if (!busy && command == "G" && !halted && !step) begin
                    step <= 1;
                    steps <= steps + 1'b1;
                    left <= 1;
                end else if (!busy) begin
                    answer <= halted;
                    answer_bytes <= 1;
                    state <= ANSWER;
                end
            end
            ANSWER: if (answered) state <= LISTEN;
            default: state <= LISTEN;
        endcase
        if (reset) begin
            {state, write, start, step, out_bits, answer_bytes, steps} <= 0;
            out_byte <= 10'h3ff;
        end
    end
    assign led = {steps, halted, busy, reset};
    assign wifi_gpio0 = 1;
endmodule
