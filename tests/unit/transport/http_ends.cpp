// How connections end: the client goes, or the server does.
#include "http_client.hpp"

using namespace http_test;

TEST_CASE("http: the client of an open reply that goes is noticed, once; later calls do nothing") {
    for (const bool streaming : {false, true}) {
        fixture f;
        std::shared_ptr<http_reply> reply;
        int gone = 0;
        f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) {
            reply = std::move(r);
            reply->on_gone([&] { ++gone; });
            if (streaming) reply->begin_stream(200, {});
        };
        auto c = f.connect();
        c.send(get("/slow"));
        f.until([&] { return reply != nullptr; });
        CHECK(gone == 0);
        c.close();
        f.until([&] { return gone > 0; });
        CHECK(reply->closed());
        reply->write("x");
        reply->end();
        reply->respond(200, {}, "x");
        f.io.poll();
        CHECK(gone == 1);
        CHECK(f.server->connections() == 0);
        CHECK(reply->queued() == 0);
    }
}

TEST_CASE("http: a client that closes its sending side counts as gone") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    bool gone = false;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) {
        reply = std::move(r);
        reply->on_gone([&] { gone = true; });
    };
    auto c = f.connect();
    c.send(get("/slow"));
    c.close_sending();
    f.until([&] { return gone; });
}

TEST_CASE("http: on_gone for a client that has gone already is called, but not within the call") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) { reply = std::move(r); };
    auto c = f.connect();
    c.send(get("/slow"));
    f.until([&] { return reply != nullptr; });
    c.close();
    f.until([&] { return reply->closed(); });
    bool gone = false;
    reply->on_gone([&] { gone = true; });
    CHECK_FALSE(gone);
    f.until([&] { return gone; });
}

TEST_CASE("http: on_gone is not called after the reply is finished") {
    fixture f;
    bool gone = false;
    f.answer = [&](const http_request&, const std::shared_ptr<http_reply>& r) {
        r->on_gone([&] { gone = true; });
        r->respond(200, {}, "done");
    };
    auto c = f.connect();
    c.send(get("/"));
    CHECK(c.read_response().body == "done");
    c.close();
    f.until([&] { return f.server->connections() == 0; });
    f.io.poll();
    CHECK_FALSE(gone);
}

TEST_CASE("http: a client is noticed to have gone also when it has sent more than is read ahead behind an open reply") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    bool gone = false;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) {
        reply = std::move(r);
        reply->on_gone([&] { gone = true; });
    };
    auto c = f.connect();
    c.send(get("/slow") + "POST /next HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n" +
           std::string(100'000, 'x'));
    f.until([&] { return f.server->counters().bytes_in > 64u << 10; });
    CHECK_FALSE(gone);
    c.close_sending();
    f.until([&] { return gone; });
}

TEST_CASE("http: more than is read ahead behind an open reply is not lost") {
    fixture f;
    std::shared_ptr<http_reply> first;
    f.answer = [&](const http_request& q, std::shared_ptr<http_reply> r) {
        if (q.path == "/slow")
            first = std::move(r);
        else
            r->respond(200, {}, std::to_string(q.body.size()));
    };
    auto c = f.connect();
    c.send(get("/slow") + "POST /next HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n" +
           std::string(300'000, 'x'));
    f.until([&] { return f.server->counters().bytes_in > 64u << 10; });
    first->respond(200, {}, "late");
    CHECK(c.read_response().body == "late");
    CHECK(c.read_response().body == "300000");
}

TEST_CASE("http: draining closes idle connections, finishes open replies and then calls back") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) { reply = std::move(r); };
    auto idle = f.connect(), busy = f.connect();
    busy.send(get("/busy"));
    f.until([&] { return reply && f.server->connections() == 2; });
    bool drained = false;
    f.server->drain(60s, [&] { drained = true; });
    CHECK(idle.read_to_end().empty());
    CHECK_FALSE(drained);
    CHECK(f.server->connections() == 1);
    reply->respond(200, {}, "finished");
    const auto r = busy.read_response();
    CHECK(r.body == "finished");
    CHECK(r.has("Connection: close"));
    busy.close();
    f.until([&] { return drained; });
    CHECK(f.server->connections() == 0);
}

TEST_CASE("http: draining cuts replies not finished in time") {
    fixture f;
    std::shared_ptr<http_reply> reply;
    bool gone = false, drained = false;
    f.answer = [&](const http_request&, std::shared_ptr<http_reply> r) {
        reply = std::move(r);
        reply->on_gone([&] { gone = true; });
    };
    auto c = f.connect();
    c.send(get("/busy"));
    f.until([&] { return reply != nullptr; });
    f.server->drain(1ms, [&] { drained = true; });
    f.until([&] { return drained; });
    CHECK(gone);
    CHECK(c.read_to_end().empty());
}

TEST_CASE("http: draining an idle server is done at once, though not within the call") {
    fixture f;
    bool drained = false;
    f.server->drain(60s, [&] { drained = true; });
    CHECK_FALSE(drained);
    f.until([&] { return drained; });
}

TEST_CASE("http: the server may go while replies are open, and inside of a request") {
    fixture f;
    std::vector<std::shared_ptr<http_reply>> replies;
    bool gone = false;
    f.answer = [&](const http_request& q, std::shared_ptr<http_reply> r) {
        r->on_gone([&] { gone = true; });
        replies.push_back(std::move(r));
        if (q.path == "/stop") f.server.reset();
    };
    auto first = f.connect(), second = f.connect();
    first.send(get("/open"));
    f.until([&] { return replies.size() == 1; });
    second.send(get("/stop"));
    f.until([&] { return !f.server; });
    CHECK(first.read_to_end().empty());
    CHECK(second.read_to_end().empty());
    for (const auto& r : replies) {
        r->respond(200, {}, "nobody");
        CHECK(r->closed());
    }
    CHECK_FALSE(gone);
}
