    wire signed [@XW@-1:0] read_data;
    wire busy, halted;
    wire [47:0] cycles;
    wire [@CW@:0] working;
    @NAME@ circuit (
        .clk(clk), .reset(reset), .write(write), .address(address), .write_data(write_data),
        .read_data(read_data), .start(start), .step(step), .busy(busy), .halted(halted),
        .cycles(cycles), .working(working)
    );
