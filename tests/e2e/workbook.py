"""A workbook (XLSX) of cells written as XML."""
import os
import zipfile


def write_workbook(path, formats, cells, properties="", merged=(), second=(), strings=""):
    """A workbook of the sheet S: formats of styles 1, 2, …, codes or the numbers of those that are not written down; cells by row as XML;
    areas of merged cells. `second`: cells of another sheet, T & U. `strings`: shared ones as XML."""
    other = '<sheet name="T &amp; U" sheetId="2" r:id="rId2"/>' if second else ""
    areas = "".join(f'<mergeCell ref="{area}"/>' for area in merged)
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                               '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
                               '<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>'
                               '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "xl/workbook.xml": f'<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">{properties}<sheets><sheet name="S" sheetId="1" r:id="rId1"/>{other}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>'
                                      '<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet {main}><numFmts>' + "".join(f'<numFmt numFmtId="{164 + i}" formatCode="{f}"/>' for i, f in enumerate(formats) if isinstance(f, str)) + '</numFmts><cellXfs><xf numFmtId="0"/>' +
                         "".join(f'<xf numFmtId="{164 + i if isinstance(f, str) else f}"/>' for i, f in enumerate(formats)) + '</cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f'<worksheet {main}><sheetData>' + "".join(f'<row r="{i + 1}">{c}</row>' for i, c in enumerate(cells)) +
                                    f'</sheetData>{"<mergeCells>" + areas + "</mergeCells>" if merged else ""}</worksheet>'}
    if second:
        parts["xl/worksheets/sheet2.xml"] = f'<worksheet {main}><sheetData>' + "".join(f'<row r="{i + 1}">{c}</row>' for i, c in enumerate(second)) + '</sheetData></worksheet>'
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", '<Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>')
    if strings:
        parts["xl/sharedStrings.xml"] = f'<sst {main}>{strings}</sst>'
        parts["[Content_Types].xml"] = parts["[Content_Types].xml"].replace("</Types>", '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>')
        parts["xl/_rels/workbook.xml.rels"] = parts["xl/_rels/workbook.xml.rels"].replace("</Relationships>", '<Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>')
    with zipfile.ZipFile(path, "w") as archive:
        for part, text in parts.items():
            archive.writestr(part, '<?xml version="1.0"?>' + text)
    return os.path.basename(path)
