/** The beginning of the OpenAPI document: what all operations have in common. Markdown, with links to the pages of the help. */
export const introductionAt = (
  help: string,
) => `Signet is a self-hosted, multi-tenant identity service with signed, durable webhooks.

## Authentication

An operation acts for one organization. Send its id as \`Service-OrgID\` and one of its API keys as \`Service-API-Key\`. Each
operation names the scope that the key needs, which the security requirement has as a role; without it the response is 403. The operations on organizations themselves take the operator's key as
\`Service-Operator-Key\` instead. More: [API keys](${help}/use/api-keys).

## Requests and responses

Bodies are JSON in UTF-8; an unknown field is refused. A success has a \`result\`, or is an empty object. A refusal has
\`errors\` with one entry for each thing that is wrong, and each message names the field and the rule that it breaks. Programs
compare codes and not messages: \`Signet-Error\` has the code of each entry, in their order, such as \`required, unknown_field\`. Ids are
UUIDs, times are RFC 3339 in UTC (a leap second is taken as the last moment of the second before), and durations are written as Go writes them, such as \`500ms\` or \`1m30s\`. Every refusal and the way out: [Errors](${help}/reference/errors).

Each response has \`X-Request-Id\`: that of the request if it is well-formed, otherwise a new one.

## Lists

A list comes in pages of up to \`limit\` items. Most lists go on with \`offset\`, and \`meta.pagination\` has the total. The list
of deliveries goes on with \`after\`: set it to the \`meta.next\` of the page before, until there is none. More: [Searching and exporting](${help}/use/searching-and-exporting).

## Consistency

Operations that write take \`Service-Required-Consistency\`. With \`all_regions\` the response comes once every region has the
change. After \`Service-Required-Consistency-Timeout\` seconds the response is 408, and the change may still be made. More: [Several regions](${help}/operate/regions).

## Trying again

429 and 503 have \`Retry-After\`, in seconds. PUT, PATCH and DELETE may be repeated without harm. A POST with an API key may be
where it has an \`Idempotency-Key\`: the same call with the same key is answered as the first one was, with
\`Idempotent-Replayed: true\`, and changes nothing more. 409 with \`Retry-After\`: the first one is still being handled. 422: the key
was sent with another request. More: [Repeat a call safely](${help}/use/repeating-calls).

## Webhooks

The section \`webhooks\` describes what Signet sends. The body is a JWT, signed with ES256; its receiver verifies it with the key
set of \`getVerificationKeys\` before it trusts any of it. More: [Receiving webhooks](${help}/use/receiving-webhooks).`
