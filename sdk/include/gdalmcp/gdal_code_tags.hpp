// gdalmcp/gdal_code_tags.hpp — codes such as 007 in XML formats whose drivers guess types: GDAL takes them for numbers
// and drops their zeros. Used by gdal_open.hpp.
#pragma once
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace gdalmcp::gdal::detail {

// The elements that hold a number with leading zeros, by name without namespace, with the first such: "zip", "01067".
inline std::map<std::string, std::string> tags_of_codes(const std::string& path) {
    std::map<std::string, std::string> tags;
    VSILFILE* file = VSIFOpenL(path.c_str(), "rb");
    if (!file) return tags;
    constexpr std::size_t longest = 200;  // bytes of a code with its closing tag; kept for the next block
    std::string text, block(1 << 20, '\0');
    const auto look_at = [&](std::string_view after) {
        const auto end = after.find('<');
        if (end == std::string_view::npos || !has_leading_zero(after.substr(0, end)) || after.substr(end, 2) != "</")
            return;
        auto tag = after.substr(end + 2);
        tag = tag.substr(0, std::min(tag.find_first_of(" >"), tag.size()));
        if (const auto colon = tag.find(':'); colon != std::string_view::npos) tag.remove_prefix(colon + 1);
        tags.emplace(tag, after.substr(0, end));
    };
    for (bool more = true; more;) {
        const auto n = VSIFReadL(block.data(), 1, block.size(), file);
        more = n == block.size();
        text.append(block, 0, n);
        const auto enough = more ? text.size() - longest : text.size();
        std::size_t at = 0;
        while ((at = text.find(">0", at)) != std::string::npos && at < enough)
            look_at(std::string_view{text}.substr(++at, longest));
        text.erase(0, enough);
    }
    VSIFCloseL(file);
    return tags;
}

inline bool is_number(OGRFieldType type) { return type == OFTInteger || type == OFTInteger64 || type == OFTReal; }

// The tag of a field that GDAL reads as numbers; nullptr: it holds no codes. Fields of nested elements end in the name.
inline const std::pair<const std::string, std::string>* code_of(const OGRFieldDefn& field,
                                                                const std::map<std::string, std::string>& tags) {
    if (!is_number(field.GetType())) return nullptr;
    const std::string_view name{field.GetNameRef()};
    for (const auto& tag : tags) {
        const auto before = name.size() - std::min(name.size(), tag.first.size());
        if (name.substr(before) == tag.first && (before == 0 || std::strchr("_.|", name[before - 1]))) return &tag;
    }
    return nullptr;
}

// The layer of another dataset with the same fields; nullptr: it has none.
inline OGRLayer* alike_in(GDALDataset* other, OGRLayer& layer) {
    auto* found = other ? other->GetLayerByName(layer.GetName()) : nullptr;
    const bool alike = found && found->GetLayerDefn()->GetFieldCount() == layer.GetLayerDefn()->GetFieldCount();
    return alike ? found : nullptr;
}

// A GML or GPX dataset; of GML whose types GDAL guesses, with its codes as text. `open`: once more.
template <class Open>
dataset_ptr codes_as_text(dataset_ptr d, const std::string& path, const Open& open) {
    const auto any_field = [&](const auto& fits) {
        for (auto* layer : d->GetLayers())
            for (int i = 0; i < layer->GetLayerDefn()->GetFieldCount(); ++i)
                if (fits(*layer->GetLayerDefn()->GetFieldDefn(i))) return true;
        return false;
    };
    if (!any_field([](const OGRFieldDefn& f) { return is_number(f.GetType()); })) return d;
    const auto tags = tags_of_codes(path);
    if (!any_field([&](const OGRFieldDefn& f) { return code_of(f, tags) != nullptr; })) return d;
    const CPLConfigOptionSetter as_text{"GML_FIELDTYPES", "ALWAYS_STRING", false};
    auto texts = EQUAL(d->GetDriverName(), "GML") ? open() : nullptr;
    for (auto* layer : d->GetLayers())
        if (!alike_in(texts.get(), *layer)) texts = nullptr;
    for (auto* layer : d->GetLayers()) {
        auto& read = texts ? *alike_in(texts.get(), *layer) : *layer;
        std::string kept;
        for (int i = 0; i < layer->GetLayerDefn()->GetFieldCount(); ++i) {
            const OGRFieldDefn guessed{layer->GetLayerDefn()->GetFieldDefn(i)};
            auto& field = changeable_field(*read.GetLayerDefn(), i);
            const auto* code = code_of(guessed, tags);
            if (code && field.GetType() == OFTString)
                kept += std::string{kept.empty() ? "'" : ", '"} + field.GetNameRef() + "' (" + code->second + ")";
            else if (code)
                caution_of(read, std::string{"'"} + field.GetNameRef() + "' is read as numbers, without the zeros of " +
                                     "codes such as '" + code->second + "' in the file");
            if (code || field.GetType() == guessed.GetType()) continue;
            field.SetSubType(OFSTNone);  // values are text until they are read
            field.SetType(guessed.GetType());
            field.SetSubType(guessed.GetSubType());
        }
        if (!kept.empty())
            read.SetMetadataItem("RECOGNISED", ("codes with leading zeros stay text: " + kept).c_str(), "GDALMCP");
    }
    return texts ? std::move(texts) : std::move(d);
}

}  // namespace gdalmcp::gdal::detail
