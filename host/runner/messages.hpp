// The requests to a confined process, what it says before it runs a tool, and the hashed files in its answer.
// messages.cpp lists the members of each message once, for both directions.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::runner {

// The parts of an input, found by the process that opened it.
struct opened_input {
    std::string dataset;  // the plugin's path; in scratch for SQLite with a journal, /vsizip/… in an archive
    std::vector<std::filesystem::path> files;    // files to grant for reading, the path itself included
    std::vector<std::filesystem::path> folders;  // folders to list: drivers look for parts there
    std::vector<std::string> warnings;           // parts that cannot be read
    std::string crs;                             // for the record: AUTHORITY:CODE or WKT 2, "" = none
    std::string stated_crs;                      // AUTHORITY:CODE from the file, unchecked; "" = none
    std::uint64_t uncompressed_bytes = 0;        // of a raster: width x height x bands x bytes; of a vector: its files
};

struct input {
    std::string at;                        // JSON Pointer of the argument
    std::filesystem::path path;            // the file, canonical
    std::string dataset;                   // the name GDAL opens: the path, or a subdataset name around it
    std::string role;                      // input-raster, input-vector, input-any
    std::string known_as{};                // the caller's name of a managed result, else ""
    std::string part{};                    // probe: the subdataset that the call reads, as its argument names it
    std::optional<opened_input> opened{};  // where the process that runs the tool opens no datasets
};

// A candidate folder for writing an output.
struct stage {
    std::filesystem::path folder;
    std::uint64_t max_bytes = 0;
};

struct output {
    std::string at;             // JSON Pointer of the argument
    std::string name;           // of the file in the stage
    std::vector<stage> stages;  // the first with room for the estimate is taken, else the last
};

// A library that the bundle carries beside its own.
struct carried_library {
    std::filesystem::path path;
    std::string sha256;
};

struct limits {
    std::uint64_t address_space = 0;  // bytes, RLIMIT_AS; 0 = unlimited (sanitizer builds)
    std::uint64_t file_size = 0;      // bytes, RLIMIT_FSIZE; 0 = unlimited
    std::uint64_t descriptors = 0;    // RLIMIT_NOFILE; 0 = 512
};

// An operation uses its own members and the common ones; absent members are empty.
struct request {
    // run, describe, inspect, probe, crs, verify, identify, contents, search_values, formats, crs_registry, crs_entry,
    // hash
    std::string operation;

    // all
    bool sandbox = true;
    bool network = false;
    std::string threads;  // GDAL_NUM_THREADS
    runner::limits limits;
    std::filesystem::path scratch;             // empty: none
    std::vector<std::filesystem::path> roots;  // canonical folders it may read
    std::vector<runner::input> inputs;         // run, inspect, probe

    // run, describe
    std::filesystem::path bundle, library;
    std::string library_sha256;
    std::string library_known;  // the file_identity whose digest has been verified already
    std::vector<carried_library> carried;

    // run
    std::string tool;
    base::json::object arguments;
    base::json::object asking;  // the client's capabilities and answers; see worker/asking.hpp
    std::string date;           // RFC 3339: the time that outputs state, where their format states one
    std::vector<output> outputs;
    std::vector<std::filesystem::path> writable;  // folders beside the stages
    bool observe = false;                         // answer with worker/observation.hpp

    bool want_crs = false;                     // inspect: fill in opened_input::crs
    std::vector<std::filesystem::path> files;  // hash, identify, contents, search_values
    bool partly = false;                       // hash: partial digests of large files
    std::uint64_t budget_ms = 0;               // identify, contents, search_values
    std::vector<std::string> spellings;        // crs; crs_entry has one; search_values: terms
    std::filesystem::path path;                // verify
    std::string role;                          // verify
    base::json::object expect;                 // verify
    std::filesystem::path published;           // verify: where a VRT's relative names begin; empty: beside `path`
};

base::json::object to_json(const request& r);
request request_of(const base::json::object& o);  // accepts any JSON; members of a wrong type count as absent

// Sent before plugin code runs, which shares the socket and could forge it.
struct prepared_run {
    std::vector<opened_input> inputs;   // in the order of the request
    std::vector<std::uint64_t> stages;  // for each output, which of its stages was taken
    std::string library_state;          // the file_identity whose digest was verified
    base::json::object versions;        // of GDAL and its libraries, for the record
    double prepare_ms = 0;
};

base::json::object to_json(const prepared_run& r);
prepared_run prepared_run_of(const base::json::object& o);

struct hashed_file {
    std::string state;     // base::file_identity as text
    bool settled = false;  // later changes are visible in `state`
    std::uint64_t size = 0;
    std::string sha256;
    bool partial = false;  // the digest is of both ends, size and time only (base/digest.hpp)
};

base::json::array to_json(const std::vector<hashed_file>& files);
std::vector<hashed_file> hashed_files_of(const base::json::array& a);

base::json::array to_json(const std::vector<input>& inputs);  // inspect answers with its inputs, opened
std::vector<input> inputs_of(const base::json::array& a);

}  // namespace gdalmcp::runner
