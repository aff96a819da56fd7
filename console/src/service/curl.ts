import type { RecordedRequest } from './recorded-request.ts'

/** In single quotes a shell leaves everything as it is. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Members that hold a secret are read from a variable of the shell: the command may be kept. */
function quotedBody(body: unknown, secrets: readonly string[]): string {
  const text = JSON.stringify(body, (name, value) => (secrets.includes(name) ? `\u0001${name}\u0001` : value), 2)
  return quoted(text).replace(/"\\u0001(\w+)\\u0001"/g, (_, name: string) => `"'"$${name.toUpperCase()}"'"`)
}

/** The command that sends the same as the console. The key is read from `SIGNET_API_KEY` or `SIGNET_OPERATOR_KEY`. */
export function toCurl(
  { method, url, body }: RecordedRequest,
  organizationId: string | undefined,
  secrets: readonly string[] = [],
): string {
  const keys = organizationId
    ? [`-H 'Service-OrgID: ${organizationId}'`, '-H "Service-API-Key: $SIGNET_API_KEY"']
    : ['-H "Service-Operator-Key: $SIGNET_OPERATOR_KEY"']
  const content = body === undefined ? [] : [`--json ${quotedBody(body, secrets)}`]
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  return [`curl ${verb}${quoted(url)}`, ...keys, ...content].join(' \\\n  ')
}
