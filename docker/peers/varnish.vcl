vcl 4.1;

backend default {
    .host = "origin";
    .port = "9000";
}

sub vcl_deliver {
    set resp.http.X-Cache = obj.hits;
}
