#include "base/elf.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace gdalmcp::base {
namespace {

constexpr std::size_t max_entries = 1u << 16;  // program headers, dynamic entries
constexpr std::size_t max_table = 64u << 20;   // bytes of names

problem no_elf(const char* why) {
    return {code::unsupported, std::string{"not a shared object of this machine: "} + why, "", ""};
}

template <class T>
bool read_at(int fd, std::uint64_t offset, T* into, std::size_t count = 1) {
    const auto bytes = sizeof(T) * count;
    return ::pread(fd, into, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// Where the bytes loaded at `address` lie in the file.
std::optional<std::uint64_t> offset_of(const std::vector<Elf64_Phdr>& segments, std::uint64_t address) {
    for (const auto& s : segments)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
            return s.p_offset + (address - s.p_vaddr);
    return std::nullopt;
}

// The names that entries of one kind refer to, in file order.
result<std::vector<std::string>> names_of(int fd, Elf64_Sxword kind) {
    Elf64_Ehdr header{};
    if (!read_at(fd, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return tl::unexpected{no_elf("it has no ELF header")};
    constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order ||
        (header.e_type != ET_DYN && header.e_type != ET_EXEC))
        return tl::unexpected{no_elf("another word size, byte order or kind of file")};
    std::vector<Elf64_Phdr> segments(std::min<std::size_t>(header.e_phnum, max_entries));
    if (header.e_phentsize != sizeof(Elf64_Phdr) || !read_at(fd, header.e_phoff, segments.data(), segments.size()))
        return tl::unexpected{no_elf("its program headers are truncated")};
    const auto dynamic =
        std::find_if(segments.begin(), segments.end(), [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; });
    if (dynamic == segments.end()) return tl::unexpected{no_elf("it is not dynamically linked")};

    std::vector<Elf64_Dyn> entries(std::min<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), max_entries));
    if (!read_at(fd, dynamic->p_offset, entries.data(), entries.size()))
        return tl::unexpected{no_elf("its dynamic section is truncated")};
    std::uint64_t table = 0, size = 0;
    std::vector<std::uint64_t> names;
    for (const auto& e : entries) {
        if (e.d_tag == DT_NULL) break;
        if (e.d_tag == DT_STRTAB) table = e.d_un.d_ptr;
        if (e.d_tag == DT_STRSZ) size = e.d_un.d_val;
        if (e.d_tag == kind) names.push_back(e.d_un.d_val);
    }
    const auto at = offset_of(segments, table);
    std::string text(size <= max_table ? size : 0, '\0');
    if (!at || text.empty() || !read_at(fd, *at, text.data(), text.size()))
        return tl::unexpected{no_elf("its string table is truncated")};
    std::vector<std::string> found;
    for (const auto name : names) {
        if (name >= text.size()) return tl::unexpected{no_elf("a name lies outside its string table")};
        found.emplace_back(text.c_str() + name);
    }
    return found;
}

result<std::vector<std::string>> names_of(const std::filesystem::path& file, Elf64_Sxword kind) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return fail(code::io, "cannot read " + file.string() + ": " + std::strerror(errno));
    auto names = names_of(fd, kind);
    ::close(fd);
    if (!names) names.error().message = file.string() + " is " + names.error().message;
    return names;
}

}  // namespace

result<std::vector<std::string>> needed_libraries(int fd) { return names_of(fd, DT_NEEDED); }

result<std::vector<std::string>> needed_libraries(const std::filesystem::path& file) {
    return names_of(file, DT_NEEDED);
}

result<std::string> soname_of(const std::filesystem::path& file) {
    const auto names = names_of(file, DT_SONAME);
    if (!names) return tl::unexpected{names.error()};
    return names->empty() ? std::string{} : names->front();
}

std::string libgdal_among(const std::vector<std::string>& needed) {
    const auto found = std::find_if(needed.begin(), needed.end(),
                                    [](const std::string& n) { return n.compare(0, 10, "libgdal.so") == 0; });
    return found == needed.end() ? "" : *found;
}

}  // namespace gdalmcp::base
