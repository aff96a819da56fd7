import { type ErrorCode, errorCodes } from '../../server/src/ground/error-codes.ts'

export const errorsPage = {
  path: 'docs/reference/errors.md',
  render: () => [head, ...sections.map(sectionText), deliveryLog].join('\n'),
}

const head = `# Errors

<!-- Written by \`npm run generate -- reference\` from \`server/src/ground/error-codes.ts\`. -->

What the interface answers where it does not do what was asked, and the way out:

\`\`\`http
HTTP/1.1 400 Bad Request
Signet-Error: required, unknown_field
X-Request-Id: 0199a3f2-5c00-7000-8000-0242ac120002

{"errors": [{"httpcode": 400, "message": "name: is required"}, {"httpcode": 400, "message": "colour: is not a known field"}]}
\`\`\`

\`errors\` has one entry for each thing that is wrong, each naming the field, the parameter or the header, and the rule that it breaks: 50 at most.
\`Signet-Error\` has the code of each entry, in their order. Programs compare codes: a code keeps its name and its meaning, while a message may be
written better one day, and a later release may know more codes. \`X-Request-Id\` is in every answer and in the log. A stream of events that has
begun ends with a message \`error\` instead, whose \`data\` has \`errors\`, and their \`codes\` beside it.

Where a name is close to one that there is (a path, a query parameter, a field, a value of a fixed list, a setting), the message ends with
\`did you mean …?\`. SCIM and the endpoints of an issuer have the errors of their own standards, and no codes.
`

type Section = { title: string; statuses: number[]; text?: string }

const sections: Section[] = [
  {
    title: '400: the request is not right',
    statuses: [400],
    text: 'Nothing was changed. The same request is refused again: mend it.',
  },
  { title: '401 and 403: who may', statuses: [401, 403] },
  { title: '402: the tier', statuses: [402] },
  { title: '404, 405, 406 and 410: not there', statuses: [404, 405, 406, 410] },
  { title: '408 and 409: not now, or not beside what is there', statuses: [408, 409] },
  { title: '413 to 431: how it was sent', statuses: [413, 415, 417, 422, 423, 429, 431] },
  { title: '500 and later: the service', statuses: [500, 501, 503] },
]

/** A code stands where the first of its statuses does. */
function sectionText({ title, statuses, text }: Section): string {
  const codes = Object.keys(errorCodes) as ErrorCode[]
  const own = codes.filter((code) => statuses.includes(errorCodes[code].statuses[0]))
  return [`## ${title}\n`, ...(text ? [`${text}\n`] : []), ...own.map(codeText)].join('\n')
}

function codeText(code: ErrorCode): string {
  const { statuses, words, wayOut } = errorCodes[code]
  const list = words.map((each) => `- \`${each}\``).join('\n')
  return `### ${code}\n\n${statuses.join(' or ')}\n\n${list}\n\n${wayOut}\n`
}

const deliveryLog = `## In the delivery log

An attempt without a status, and a hook whose answer is not usable, has one of these words as \`error\`; the
[operator's table](../operate/failed-deliveries.md) says more.

| \`error\` | what happened |
|---|---|
| \`name_not_found\` | the target's name has no address, **or one that may not be called**: a private, loopback or otherwise special one, also if only one of several is. You are not told which, so that nobody learns what is in the operator's network; the operator's log has \`forbidden_address\` |
| \`forbidden_port\` | the operator does not allow the target's port |
| \`connection_refused\` | nothing listens there, at none of its addresses |
| \`connect_timeout\` | no connection, or no TLS, within the timeout |
| \`timeout\` | the request was sent, and no status came in time |
| \`connection_reset\` | the connection was closed before a status |
| \`bad_certificate\`, \`tls_error\` | the certificate is not trusted, or TLS was not agreed on |
| \`bad_response\` | it is not HTTP/1.1 |
| \`answer_too_large\` | 64 KiB came without a status; of a hook, in all |
| \`answer_not_utf8\`, \`answer_not_an_object\`, \`claims_too_large\` | of a hook: its answer is no claims |
| \`network_error\` | anything else |
| \`no_descriptors\`, \`stopped\` | of a hook: this Signet had no socket left, or was stopped |

How sign-ins fail is in [signing in](../use/signing-in.md), and what the errors of the libraries mean in the README of each.
`
