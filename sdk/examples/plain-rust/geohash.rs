//! A tool in Rust, without crates and without GDAL: the geohash of a position.
mod gdalmcp;
use gdalmcp::{Call, Failure, Host, Plugin, RawCall, Status, Tool, IDEMPOTENT, READ_ONLY};
use std::mem::size_of;
use std::os::raw::c_void;

const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

/// Halves longitude and latitude in turn, five times for each character. G. Niemeyer, 2008.
fn encode(lon: f64, lat: f64, length: usize) -> (String, [f64; 2], [f64; 2]) {
    let (mut x, mut y) = ([-180.0, 180.0], [-90.0, 90.0]);
    let mut hash = String::with_capacity(length);
    let mut of_longitude = true;
    for _ in 0..length {
        let mut index = 0;
        for _ in 0..5 {
            let (range, at) = if of_longitude { (&mut x, lon) } else { (&mut y, lat) };
            let middle = (range[0] + range[1]) / 2.0;
            let upper = at >= middle;
            range[if upper { 0 } else { 1 }] = middle;
            index = index * 2 + usize::from(upper);
            of_longitude = !of_longitude;
        }
        hash.push(char::from(ALPHABET[index]));
    }
    (hash, x, y)
}

fn geohash(call: &Call) -> Result<(), Failure> {
    let (lon, lat) = (call.number("/lon")?, call.number("/lat")?);
    let (hash, x, y) = encode(lon, lat, call.integer("/length")? as usize);
    call.put_text("/geohash", &hash)?;
    call.put_number("/west", x[0])?;
    call.put_number("/south", y[0])?;
    call.put_number("/east", x[1])?;
    call.put_number("/north", y[1])
}

unsafe extern "C" fn run(host: *const Host, call: *mut RawCall, _: *const c_void) -> Status {
    gdalmcp::run(host, call, geohash)
}

static TOOL: Tool = Tool {
    struct_size: size_of::<Tool>() as u32,
    behaviour: READ_ONLY | IDEMPOTENT,
    name: "example_geohash\0".as_ptr().cast(),
    title: "Geohash\0".as_ptr().cast(),
    description: "The geohash of a position, with the bounds of its cell.\0".as_ptr().cast(),
    input_schema: concat!(
        r#"{"type":"object","properties":{"#,
        r#""lon":{"type":"number","minimum":-180,"maximum":180,"description":"Longitude, east positive. [degrees]"},"#,
        r#""lat":{"type":"number","minimum":-90,"maximum":90,"description":"Latitude, north positive. [degrees]"},"#,
        r#""length":{"type":"integer","minimum":1,"maximum":12,"default":7,"description":"Length. [characters]"}},"#,
        r#""required":["lon","lat"],"additionalProperties":false}"#,
        "\0"
    )
    .as_ptr()
    .cast(),
    output_schema: concat!(
        r#"{"type":"object","properties":{"geohash":{"type":"string","description":"The geohash"},"#,
        r#""west":{"type":"number","description":"Western edge of the cell [degrees]"},"#,
        r#""south":{"type":"number","description":"Southern edge of the cell [degrees]"},"#,
        r#""east":{"type":"number","description":"Eastern edge of the cell [degrees]"},"#,
        r#""north":{"type":"number","description":"Northern edge of the cell [degrees]"}},"#,
        r#""required":["geohash","west","south","east","north"],"additionalProperties":false}"#,
        "\0"
    )
    .as_ptr()
    .cast(),
    run,
    self_: std::ptr::null(),
};

static TOOLS: [&Tool; 1] = [&TOOL];
static PLUGIN: Plugin = Plugin {
    struct_size: size_of::<Plugin>() as u32,
    abi_major: 1,
    abi_minor: 0,
    tool_count: 1,
    id: "org.example.geohash\0".as_ptr().cast(),
    version: "1.0.0\0".as_ptr().cast(),
    license: "MIT\0".as_ptr().cast(),
    tools: TOOLS.as_ptr(),
    extension: std::ptr::null(),
};

/// The one symbol a plugin exports.
#[no_mangle]
pub extern "C" fn gdalmcp_plugin_v1(_host_abi_minor: u32) -> *const Plugin {
    &PLUGIN
}
