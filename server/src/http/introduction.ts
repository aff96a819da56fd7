/** What every operation has in common, as the OpenAPI document begins. Markdown. */
export const introduction = `Signet is a self-hosted, multi-tenant identity service with signed, durable webhooks.

## Authentication

An operation acts for one organization. Send its id as \`Service-OrgID\` and one of its API keys as \`Service-API-Key\`. A
read-only key is refused for whatever writes. The operations on organizations themselves take the operator's key as
\`Service-Operator-Key\` instead.

## Requests and answers

Bodies are JSON in UTF-8; a field that is not known is refused. A success has what was asked for as \`result\`, or an empty
object where there is nothing to say. A refusal has \`errors\` with one entry for each thing wrong, and each message names the
field and the rule that it breaks. Ids are UUIDs, times are RFC 3339 in UTC, and durations are written as Go writes them, such as
\`500ms\` or \`1m30s\`.

Each answer has \`X-Request-Id\`: that of the request, where it sent a well-formed one, or else a new one.

## Lists

A list comes in pages of up to \`limit\` items. Most lists go on with \`offset\`, and \`meta.pagination\` has the total. The list
of deliveries goes on with \`after\`: give it the \`meta.next\` of the page before, until there is none.

## Consistency

What writes takes \`Service-Required-Consistency\`. With \`all_regions\` the answer comes once every region has the change. An
answer that is not there within \`Service-Required-Consistency-Timeout\` seconds is 408, and the change may still be made.

## Trying again

429 and 503 have \`Retry-After\`, in seconds. PUT, PATCH and DELETE may be repeated without harm, and so may the creation of a
group or a trigger, which changes nothing where it is there already.

## Webhooks

The section \`webhooks\` has what Signet sends. The body is a JWT, signed with ES256; its receiver verifies it with the key set of
\`getVerificationKeys\` before it believes any of it.`
