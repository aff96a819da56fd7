import { CommandError, exitCodes, reasonOf } from './failure.ts'

const timeoutMs = 10_000

/** What the service calls itself in a webhook: its issuer of an organization without the path. It may differ from `--url`. */
export async function readIssuer(url: string, organizationId: string): Promise<string> {
  const path = `/oidc/${organizationId}`
  const reply = await fetch(`${url}${path}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw new CommandError(`${url}: ${reasonOf(error)}`, exitCodes.unavailable)
  })
  const { issuer } = (await reply.json().catch(() => ({}))) as { issuer?: string }
  if (!issuer?.endsWith(path)) throw new CommandError(`${url}: does not say who it is (status ${reply.status})`)
  return issuer.slice(0, -path.length)
}
