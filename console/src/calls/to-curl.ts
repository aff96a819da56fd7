import type { RecordedRequest } from './recorded-request.ts'

/** In single quotes a shell leaves everything as it is. */
export const quotedForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Members that hold a secret, or a list of them, are read from variables of the shell: the command may be kept. */
function quotedBody(body: unknown, secrets: readonly string[]): string {
  const conceal = (name: string, value: unknown) =>
    Array.isArray(value) ? value.map((_, place) => marked(`${name}_${place + 1}`)) : marked(name)
  const text = JSON.stringify(body, (name, value) => (secrets.includes(name) ? conceal(name, value) : value), 2)
  return quotedForShell(text).replace(/"\\u0001(\w+)\\u0001"/g, `"'"$$$1"'"`)
}

const marked = (name: string) => `\u0001${name.toUpperCase().replace(/\W/g, '_')}\u0001`

/** The command that sends the same as the console. The key is read from `SIGNET_API_KEY` or `SIGNET_OPERATOR_KEY`. */
export function toCurl(
  { method, url, body, file }: RecordedRequest,
  organizationId: string | undefined,
  secrets: readonly string[] = [],
): string {
  const keys = organizationId
    ? [`-H 'Service-OrgID: ${organizationId}'`, '-H "Service-API-Key: $SIGNET_API_KEY"']
    : ['-H "Service-Operator-Key: $SIGNET_OPERATOR_KEY"']
  const json = body === undefined ? [] : [`--json ${quotedBody(body, secrets)}`]
  const content = file ? [`-H 'Content-Type: ${file}'`, '--data-binary @file'] : json
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `
  return [`curl ${verb}${quotedForShell(url)}`, ...keys, ...content].join(' \\\n  ')
}
