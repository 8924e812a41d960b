/* libgdal.so.99: one function of another GDAL. */
const char* GDALVersionInfo(const char* request);

const char* GDALVersionInfo(const char* request) {
    (void)request;
    return "99.0";
}
