//! gdalmcp/abi.h in Rust: the tables of ABI 1.0, which every host of major 1 serves, and a thin cover over those
//! functions that most tools need. The standard library only; rustc 1.63 or later.
#![allow(dead_code)]

use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    data: *const u8,
    size: usize,
}

impl From<&str> for Str {
    fn from(s: &str) -> Str {
        Str { data: s.as_ptr(), size: s.len() }
    }
}

/// gdalmcp_status: who caused a failure.
pub type Status = i32;
pub const OK: Status = 0;
pub const INVALID_ARGUMENT: Status = 1;
pub const NOT_FOUND: Status = 2;
pub const UNSUPPORTED: Status = 4;
pub const IO: Status = 5;
pub const CANCELLED: Status = 6;
pub const INTERNAL: Status = 8;

/// gdalmcp_behaviour, bits.
pub const READ_ONLY: u32 = 1;
pub const DESTRUCTIVE: u32 = 2;
pub const IDEMPOTENT: u32 = 4;

#[repr(C)]
pub struct RawCall {
    _opaque: [u8; 0],
}
type C = *mut RawCall;

#[repr(C)]
pub struct Host {
    struct_size: u32,
    abi_minor: u32,
    get_kind: unsafe extern "C" fn(C, Str) -> i32,
    get_bool: unsafe extern "C" fn(C, Str, *mut i32) -> Status,
    get_int: unsafe extern "C" fn(C, Str, *mut i64) -> Status,
    get_number: unsafe extern "C" fn(C, Str, *mut f64) -> Status,
    get_string: unsafe extern "C" fn(C, Str, *mut Str) -> Status,
    get_size: unsafe extern "C" fn(C, Str, *mut usize) -> Status,
    get_json: unsafe extern "C" fn(C, Str, *mut Str) -> Status,
    put_bool: unsafe extern "C" fn(C, Str, i32) -> Status,
    put_int: unsafe extern "C" fn(C, Str, i64) -> Status,
    put_number: unsafe extern "C" fn(C, Str, f64) -> Status,
    put_string: unsafe extern "C" fn(C, Str, Str) -> Status,
    put_json: unsafe extern "C" fn(C, Str, Str) -> Status,
    say: unsafe extern "C" fn(C, Str) -> Status,
    warn: unsafe extern "C" fn(C, Str) -> Status,
    attach: unsafe extern "C" fn(C, *const c_void) -> Status,
    new_scratch: unsafe extern "C" fn(C, Str, Str, *mut Str) -> Status,
    expect: unsafe extern "C" fn(C, Str, Str) -> Status,
    progress: unsafe extern "C" fn(C, f64, Str) -> i32,
    log: unsafe extern "C" fn(C, i32, Str),
    fail: unsafe extern "C" fn(C, Status, Str, Str),
    extension: unsafe extern "C" fn(C, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct Tool {
    pub struct_size: u32,
    pub behaviour: u32,
    pub name: *const c_char,
    pub title: *const c_char,
    pub description: *const c_char,
    pub input_schema: *const c_char,
    pub output_schema: *const c_char,
    pub run: unsafe extern "C" fn(*const Host, C, *const c_void) -> Status,
    pub self_: *const c_void,
}
unsafe impl Sync for Tool {}

#[repr(C)]
pub struct Plugin {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub tool_count: u32,
    pub id: *const c_char,
    pub version: *const c_char,
    pub license: *const c_char,
    pub tools: *const &'static Tool,
    pub extension: *const c_void,
}
unsafe impl Sync for Plugin {}

// As in the header, on LP64.
const _: () = assert!(std::mem::size_of::<Host>() == 176);
const _: () = assert!(std::mem::size_of::<Tool>() == 64);
const _: () = assert!(std::mem::size_of::<Plugin>() == 56);

/// Why a call fails: the status, the reason, and the next step.
pub struct Failure(pub Status, pub String, pub &'static str);

/// A running call. `at` is a JSON Pointer: "/lon".
pub struct Call<'a> {
    host: &'a Host,
    call: C,
}

impl Call<'_> {
    /// An argument, validated against the input schema, with its default filled in.
    pub fn number(&self, at: &str) -> Result<f64, Failure> {
        let mut v = 0.0;
        self.check(unsafe { (self.host.get_number)(self.call, at.into(), &mut v) }, at).map(|()| v)
    }
    pub fn integer(&self, at: &str) -> Result<i64, Failure> {
        let mut v = 0;
        self.check(unsafe { (self.host.get_int)(self.call, at.into(), &mut v) }, at).map(|()| v)
    }
    /// A text, a path among them.
    pub fn text(&self, at: &str) -> Result<String, Failure> {
        let mut v = Str { data: std::ptr::null(), size: 0 };
        self.check(unsafe { (self.host.get_string)(self.call, at.into(), &mut v) }, at)?;
        if v.data.is_null() {
            return Ok(String::new());
        }
        let bytes = unsafe { std::slice::from_raw_parts(v.data, v.size) };
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
    /// A value of the result.
    pub fn put_number(&self, at: &str, v: f64) -> Result<(), Failure> {
        self.check(unsafe { (self.host.put_number)(self.call, at.into(), v) }, at)
    }
    pub fn put_text(&self, at: &str, v: &str) -> Result<(), Failure> {
        self.check(unsafe { (self.host.put_string)(self.call, at.into(), v.into()) }, at)
    }
    /// One line for people and models.
    pub fn say(&self, line: &str) {
        unsafe { (self.host.say)(self.call, line.into()) };
    }
    /// Fraction of the work done, 0 to 1; an error if the call was cancelled: return it.
    pub fn progress(&self, fraction: f64) -> Result<(), Failure> {
        match unsafe { (self.host.progress)(self.call, fraction, "".into()) } {
            0 => Err(Failure(CANCELLED, "the call was cancelled".into(), "")),
            _ => Ok(()),
        }
    }

    fn check(&self, s: Status, at: &str) -> Result<(), Failure> {
        match s {
            OK => Ok(()),
            s => Err(Failure(INTERNAL, format!("the schemas and the code disagree at {}: status {}", at, s), "")),
        }
    }
}

/// Runs a tool's function as gdalmcp_tool::run requires: no panic crosses the boundary.
///
/// # Safety The pointers must be those the host passed to gdalmcp_tool::run.
pub unsafe fn run(host: *const Host, call: C, f: fn(&Call) -> Result<(), Failure>) -> Status {
    let host = &*host;
    let done = catch_unwind(AssertUnwindSafe(|| f(&Call { host, call })));
    let Failure(status, message, hint) = match done {
        Ok(Ok(())) => return OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure(INTERNAL, "the tool panicked".into(), "this is a defect of the tool"),
    };
    (host.fail)(call, status, message.as_str().into(), hint.into());
    status
}
