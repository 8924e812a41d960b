// Our signatures for a script: `sign SECRET_KEY FILE COMMENT` (password on stdin) prints the signature,
// `verify PUBLIC_KEY FILE SIGNATURE` the trusted comment. Exit code 1 with the reason on stderr.
#include <iostream>

#include "base/file.hpp"
#include "catalog/minisign.hpp"

namespace minisign = gdalmcp::catalog::minisign;

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const auto text = [&](int i) { return gdalmcp::base::read_file(argv[i]).value(); };
    const auto key = minisign::public_key::parse(std::string{argv[1]} == "verify" ? text(2) : std::string{});
    std::string password;
    if (std::string{argv[1]} == "sign") std::getline(std::cin, password);
    const auto done = std::string{argv[1]} == "sign" ? minisign::sign(text(3), text(2), password, argv[4])
                                                     : minisign::verify(text(3), text(4), key.value());
    (done ? std::cout : std::cerr) << (done ? *done : done.error().message);
    return done ? 0 : 1;
}
