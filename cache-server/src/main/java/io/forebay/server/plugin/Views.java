package io.forebay.server.plugin;

import io.forebay.core.http.FieldsView;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.UpstreamEdits;
import io.forebay.plugin.ClientRequest;
import io.forebay.plugin.FieldEdits;
import io.forebay.plugin.Fields;
import io.forebay.plugin.OriginRequest;
import io.forebay.plugin.Response;
import io.forebay.server.rule.RequestFacts;
import io.forebay.server.rule.ResponseHead;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What the node has, as the API of plugins shows it. */
final class Views {
  private Views() {}

  private static Fields fields(FieldsView view) {
    return name -> List.copyOf(view.all(name.toLowerCase(Locale.ROOT)));
  }

  /** A request of a client. */
  record OfClient(RequestFacts facts) implements ClientRequest {
    @Override
    public String method() {
      return facts.view().method();
    }

    @Override
    public String scheme() {
      return facts.view().scheme();
    }

    @Override
    public String authority() {
      return facts.view().authority();
    }

    @Override
    public String path() {
      return facts.view().path();
    }

    @Override
    public Optional<String> query() {
      return Optional.ofNullable(facts.view().query());
    }

    @Override
    public Fields fields() {
      return Views.fields(facts.view().fields());
    }

    @Override
    public String route() {
      return facts.route();
    }

    @Override
    public String listener() {
      return facts.client().listener();
    }

    @Override
    public String protocol() {
      return facts.client().protocol();
    }

    @Override
    public String clientAddress() {
      return facts.clientText();
    }

    @Override
    public Optional<String> tlsVersion() {
      return Optional.ofNullable(facts.client().tlsVersion());
    }

    @Override
    public Optional<String> tlsServerName() {
      return Optional.ofNullable(facts.client().tlsServerName());
    }

    @Override
    public Instant time() {
      return Instant.ofEpochMilli(facts.nowMillis());
    }
  }

  /**
   * A request to an origin.
   *
   * @param edited as rules before this one left it
   */
  record OfOrigin(RequestView request, UpstreamEdits.Edited edited, String group)
      implements OriginRequest {
    @Override
    public String method() {
      return request.method();
    }

    @Override
    public String scheme() {
      return request.scheme();
    }

    @Override
    public String authority() {
      return request.authority();
    }

    @Override
    public String path() {
      return edited.target().split("\\?", 2)[0];
    }

    @Override
    public Optional<String> query() {
      int question = edited.target().indexOf('?');
      return question < 0 ? Optional.empty() : Optional.of(edited.target().substring(question + 1));
    }

    @Override
    public Fields fields() {
      return Views.fields(edited.fields().without(FieldEdits.RESERVED_IN_REQUESTS::contains));
    }
  }

  /** A response of an origin. */
  record OfResponse(int status, FieldsView view) implements Response {
    @Override
    public Fields fields() {
      return Views.fields(view);
    }
  }

  /** A response on its way to the client. */
  record OfHead(ResponseHead head) implements Response {
    @Override
    public int status() {
      return head.status();
    }

    @Override
    public Fields fields() {
      return name -> {
        String lower = name.toLowerCase(Locale.ROOT);
        List<String> values = new ArrayList<>();
        int at = head.next(lower, ResponseHead.FIRST);
        while (at >= 0) {
          CharSequence value = head.value();
          StringBuilder text = new StringBuilder(value.length());
          for (int i = 0; i < value.length(); i++) {
            text.append(value.charAt(i));
          }
          values.add(text.toString());
          at = head.next(lower, at);
        }
        return values;
      };
    }
  }
}
