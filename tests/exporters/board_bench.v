// Talks to a board's module over its serial line: sends bytes.hex, reports the bytes that come back.
`timescale 1ns / 1ns

module EHXPLLL (
    input CLKI, CLKFB, RST, STDBY, ENCLKOP, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
    output CLKOP, output reg LOCK
);
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 1, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
    parameter CLKOP_ENABLE = "", FEEDBK_PATH = "", OUTDIVIDER_MUXA = "", PLLRST_ENA = "";
    parameter INTFB_WAKE = "", STDBY_ENABLE = "", DPHASE_SOURCE = "";
    assign CLKOP = CLKI;
    initial begin
        LOCK = 0;
        #100 LOCK = 1;
    end
endmodule

module board_bench;
    localparam DIVIDE = 5;
    reg clk = 0, to_board = 1;
    wire from_board;
    wire [7:0] led;
    any_ulx3s #(.DIVIDE(DIVIDE)) board (
        .clk_25mhz(clk), .ftdi_txd(to_board), .ftdi_rxd(from_board), .led(led)
    );
    always #5 clk = !clk;

    reg [7:0] bytes [0:65535];
    reg [7:0] received;
    integer i, bit_sent, bit_received, expected, count;
    initial begin
        if (!$value$plusargs("expect=%d", expected)) expected = 0;
        count = 0;
        while (count < expected) begin
            @(negedge from_board);
            #(10 * DIVIDE / 2);
            for (bit_received = 0; bit_received < 8; bit_received = bit_received + 1) begin
                #(10 * DIVIDE);
                received[bit_received] = from_board;
            end
            #(10 * DIVIDE);
            if (!from_board) $display("no end");
            $display("byte %0d", received);
            count = count + 1;
        end
        $display("led %0d", led);
        $finish;
    end
    integer replies;  // a command that is answered is sent alone
    initial begin
        $readmemh("bytes.hex", bytes);
        #400;
        for (i = 0; bytes[i] !== 8'hxx; i = i + 2) begin
            replies = count + bytes[i+1];
            to_board = 0;
            for (bit_sent = 0; bit_sent < 8; bit_sent = bit_sent + 1) begin
                #(10 * DIVIDE);
                to_board = bytes[i][bit_sent];
            end
            #(10 * DIVIDE);
            to_board = 1;
            #(10 * DIVIDE);
            while (count < replies) #10;
        end
    end
endmodule
