#include "tracker/http/http_stream.h"

#include "http/response_head.h"

namespace septet::tracker {
namespace {

http::StatusCode CodeOf(http::HeadStatus status) {
  switch (status) {
    case http::HeadStatus::kUriTooLong:
      return http::StatusCode::kUriTooLong;
    case http::HeadStatus::kHeadTooLarge:
      return http::StatusCode::kHeaderFieldsTooLarge;
    default:
      return http::StatusCode::kBadRequest;
  }
}

}  // namespace

HttpStream::Answer HttpStream::AnswerRequest(HttpStreamContext& context, const Endpoint& source,
                                             absl::Span<char> out) const {
  const http::RequestHead& head = context.head;
  const bool has_body = head.content_length > 0 || head.has_transfer_encoding;
  const bool stays = head.keep_alive && !has_body && !context.stopping;
  const HttpRequestContext request = {source, context.now_ms, stays, believes_claims_};
  return {context.handler->Handle(head, request, *context.random, out), !stays, has_body};
}

HttpStream::Step HttpStream::Serve(HttpStreamContext& context, const Endpoint& source,
                                   absl::string_view in, absl::Span<char> out) {
  Step step;
  while (step.consumed < in.size()) {
    const absl::Span<char> room = out.subspan(step.written);
    if (room.size() < kHttpResponseBytesMax) {
      step.next = Next::kWrite;
      return step;
    }
    const http::HeadStatus status = parser_.Parse(in.substr(step.consumed), &context.head);
    if (status == http::HeadStatus::kIncomplete) return step;
    if (status != http::HeadStatus::kComplete) {
      step.written += WriteTextResponse(CodeOf(status), /*minor_version=*/1, /*keep_alive=*/false,
                                        /*is_head=*/false, room);
      step.consumed = in.size();
      step.next = Next::kLinger;
      return step;
    }
    const Answer answer = AnswerRequest(context, source, room);
    step.written += answer.written;
    step.consumed += context.head.head_bytes;
    if (answer.closes) {
      const bool is_sending = answer.has_body || step.consumed < in.size();
      step.next = is_sending ? Next::kLinger : Next::kClose;
      return step;
    }
  }
  return step;
}

}  // namespace septet::tracker
