// Streams pull in the part of the C++ library that asks about exceptions in flight.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Noisy {
    std::string name;
    ~Noisy() { std::cout << "end of " << name << " " << std::uncaught_exceptions() << "\n"; }
};

static int down(int depth) {
    Noisy noisy{"level " + std::to_string(depth)};
    if (depth == 0) throw std::runtime_error("bottom");
    return down(depth - 1) + 1;
}

int main() {
    try {
        down(2);
    } catch (const std::exception &error) {
        std::cout << "caught " << error.what() << "\n";
    }
    try {
        std::cout << std::vector<int>(3).at(7);
    } catch (const std::out_of_range &) {
        std::cout << "out of range\n";
    }
    std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
    for (auto &[key, value] : counts) std::cout << key << value << " ";
    std::cout << std::endl;
    return 5;
}
