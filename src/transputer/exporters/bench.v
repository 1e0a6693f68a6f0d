// Loads a state into the circuit over its bus, steps it until it stops, and tells what has changed.
//
//   +state=FILE  the state, by default @STATE@    +last=FILE  where to write the last one
//   +steps=N     at most so many                  +trace      look after every step
`timescale 1ns / 1ns

module @NAME@_bench;
    localparam SIZE = @SIZE@;
    reg clk = 0, reset = 1, write = 0, start = 0, step = 0;
    reg [@XA@-1:0] address = 0;
    reg signed [@XW@-1:0] write_data = 0;
@CIRCUIT@
    always #5 clk = !clk;

    reg [@XW@-1:0] state [0:SIZE-1];
    reg [8*1024-1:0] file;
    integer i, steps, limit;
    reg [47:0] all, loaded, most;
    reg traces;

    // Signals change at the falling edge, halfway between two rising ones.
    task run;
        begin
            @(negedge clk);
            start = 0;
            step = 0;
            while (busy) @(negedge clk);
        end
    endtask

    task look;  // what has changed, read over the bus: an entry three cycles after its address
        for (i = 0; i < SIZE + 2; i = i + 1) begin
            address = i;
            @(negedge clk);
            if (i >= 2 && read_data !== state[i-2]) begin
                $display("change %0d %0d", i - 2, read_data);
                state[i-2] = read_data;
            end
        end
    endtask

    initial begin
        if (!$value$plusargs("state=%s", file)) file = "@STATE@";
        if (!$value$plusargs("steps=%d", limit)) limit = 1000000;
        traces = $test$plusargs("trace") != 0;
        $readmemh(file, state);
        repeat (2) @(negedge clk);
        reset = 0;
        write = 1;
        for (i = 0; i < SIZE; i = i + 1) begin
            address = i;
            write_data = state[i];
            @(negedge clk);
        end
        write = 0;
        start = 1;
        run;
        loaded = cycles;
        steps = 0;
        all = 0;
        most = 0;
        while (!halted && steps < limit) begin
            step = 1;
            run;
            steps = steps + 1;
            all = all + cycles;
            if (cycles > most) most = cycles;
            if (traces || halted || steps == limit) begin
                $display("step %0d cycles %0d halted %0d", steps, cycles, halted);
                look;
            end
        end
        $display("halted %0d steps %0d cycles %0d most %0d start %0d working %0d",
            halted, steps, all, most, loaded, working);
        if ($value$plusargs("last=%s", file)) $writememh(file, state);
        $finish;
    end
endmodule
