// Notifications of the server. Before 2026-07-28 a client of the handshake gets list changes without subscribing and
// resource updates by resources/subscribe; from then on everything goes through subscriptions/listen.
#include <algorithm>
#include <utility>

#include "mcp/peer_state.hpp"

namespace gdalmcp::mcp {
namespace {

constexpr std::size_t max_subscriptions = 1024;  // listens, and URIs of one listen or handshake
constexpr const char* subscription_id = "io.modelcontextprotocol/subscriptionId";

// {member of the filter, list}
constexpr std::pair<const char*, const char*> list_filters[] = {
    {"toolsListChanged", "tools"}, {"promptsListChanged", "prompts"}, {"resourcesListChanged", "resources"}};

json::object tagged(const listen_filter& l, json::object params = {}) {
    params["_meta"] = json::object{{subscription_id, l.id}};
    return params;
}

rpc_error too_many() {
    return {rpc_code::internal_error, "more than " + std::to_string(max_subscriptions) + " subscriptions", nullptr};
}

// The requested filter, types checked.
tl::expected<listen_filter, rpc_error> read_filter(const request& r) {
    const auto invalid = [](std::string message) {
        return tl::unexpected<rpc_error>{rpc_error{rpc_code::invalid_params, std::move(message), nullptr}};
    };
    const auto* asked = r.params.if_contains("notifications");
    if (!asked || !asked->is_object()) return invalid("notifications must be an object: what to listen for");
    listen_filter l;
    l.id = r.id;
    for (const auto& [member, list] : list_filters) {
        const auto* v = base::find_member(*asked, member);
        if (v && !v->is_bool()) return invalid(std::string{"notifications."} + member + " must be a boolean");
        if (v && v->get_bool()) l.lists.insert(list);
    }
    const auto* uris = base::find_member(*asked, "resourceSubscriptions");
    if (!uris) return l;
    if (!uris->is_array()) return invalid("notifications.resourceSubscriptions must be an array of URIs");
    for (const auto& uri : uris->get_array()) {
        if (!uri.is_string()) return invalid("notifications.resourceSubscriptions must be an array of URIs");
        l.uris.emplace(uri.get_string());
    }
    return l;
}

// As above, of the tasks extension.
std::optional<rpc_error> read_tasks(const request& r, listen_filter& l) {
    const auto* ids = base::find_member(r.params.at("notifications"), "taskIds");
    if (!ids) return std::nullopt;
    const rpc_error invalid{rpc_code::invalid_params, "notifications.taskIds must be an array of task ids", nullptr};
    if (!ids->is_array()) return invalid;
    for (const auto& id : ids->get_array()) {
        if (!id.is_string()) return invalid;
        l.tasks.emplace(id.get_string());
    }
    return std::nullopt;
}

json::object granted(const listen_filter& l) {
    json::object g;
    for (const auto& [member, list] : list_filters)
        if (l.lists.count(list)) g[member] = true;
    if (!l.uris.empty()) g["resourceSubscriptions"] = json::value_from(l.uris);
    if (!l.tasks.empty()) g["taskIds"] = json::value_from(l.tasks);
    return g;
}

}  // namespace

void peer_state::subscribe(request r) {
    const auto* uri = r.params.if_contains("uri");
    if (!uri || !uri->is_string()) return refuse(r, rpc_code::invalid_params, "uri must be a string");
    if (handshake_->uris.size() >= max_subscriptions) return refuse(r, too_many());
    handshake_->uris.emplace(uri->get_string());
    respond(r, {});
}

void peer_state::unsubscribe(request r) {
    const auto* uri = r.params.if_contains("uri");
    if (!uri || !uri->is_string()) return refuse(r, rpc_code::invalid_params, "uri must be a string");
    handshake_->uris.erase(std::string{uri->get_string()});
    respond(r, {});
}

void peer_state::listen(request r) {
    auto l = read_filter(r);
    if (!l) return refuse(r, std::move(l.error()));
    if (auto e = read_tasks(r, *l)) return refuse(r, std::move(*e));
    if (listens_.size() >= max_subscriptions || l->uris.size() + l->tasks.size() > max_subscriptions)
        return refuse(r, too_many());
    if (!offer_->lists_change) l->lists.clear();
    if (!offer_->resources) l->lists.erase("resources");
    if (!offer_->resources || !offer_->resource_updates) l->uris.clear();
    if (!offer_->tasks || !declares_tasks(r)) l->tasks.clear();
    notify("notifications/subscriptions/acknowledged", tagged(*l, {{"notifications", granted(*l)}}));
    const auto key = ++last_key_;
    keys_.emplace(base::write_json(l->id), key);
    listens_.emplace(key, std::move(*l));
}

void peer_state::end_listens() {
    for (auto& [key, l] : std::exchange(listens_, {})) {
        request r;
        r.id = l.id;
        r.spoken = stateless;
        keys_.erase(base::write_json(l.id));
        respond(r, tagged(l));
    }
}

void peer_state::replace(std::shared_ptr<const offer> o, request_key about) {
    const auto before = std::exchange(offer_, std::move(o));
    if (before->tools != offer_->tools) tell_list_changed("tools", about);
    if (before->prompts != offer_->prompts) tell_list_changed("prompts", about);
    if (before->resource_templates != offer_->resource_templates) tell_list_changed("resources", about);
}

void peer_state::tell_list_changed(std::string_view list, request_key about) {
    const auto name = "notifications/" + std::string{list} + "/list_changed";
    if (handshake_ && handshake_->initialized && offer_->lists_change) notify(name, {}, about);
    for (const auto& [key, l] : listens_)
        if (l.lists.count(list)) notify(name, tagged(l));
}

void peer_state::tell_updated(const std::function<bool(const std::string&)>& changed) {
    constexpr const char* name = "notifications/resources/updated";
    if (handshake_)
        for (const auto& uri : handshake_->uris)
            if (changed(uri)) notify(name, {{"uri", uri}});
    for (const auto& [key, l] : listens_)
        for (const auto& uri : l.uris)
            if (changed(uri)) notify(name, tagged(l, {{"uri", uri}}));
}

bool peer_state::listens_to_tasks() const {
    return std::any_of(listens_.begin(), listens_.end(), [](const auto& l) { return !l.second.tasks.empty(); });
}

void peer_state::tell_task(const json::object& task) {
    const auto id = task.at("taskId").get_string();
    for (const auto& [key, l] : listens_)
        if (l.tasks.count(std::string_view{id})) notify("notifications/tasks", tagged(l, task));
}

}  // namespace gdalmcp::mcp
