import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** Identity providers in another process; `urls` are where each of them is. */
export type Upstreams<Name extends string> = { urls: Record<Name, string>; stop(): Promise<void> }

/** What the clients of every provider are. */
export const client = { clientId: 'signet', clientSecret: 'a-secret-of-forty-characters-0123456789a' }
export const otherClient = { clientId: 'another', clientSecret: 'b-secret-of-forty-characters-0123456789b' }
export const callbackUrl = 'https://id.signet.test/sso/callback/0190a5a0-0000-7000-8000-000000000001'

/** Real OpenID providers: four of `oidc-provider`, and one of a library that shares no code with it or with the service. */
export const startOidcProviders = (host = '127.0.0.1') =>
  start<'google' | 'line' | 'entra' | 'okta' | 'second'>('oidc-providers-process.ts', host)

/** Answers as GitHub, Bitbucket, GitLab and Facebook document theirs. */
export const startOauthProviders = () =>
  start<'github' | 'bitbucket' | 'gitlab' | 'facebook'>('oauth-providers-process.ts')

/** Its paths are the lies in `hostile-provider-process.ts`. */
export const startHostileProvider = () => start<'base'>('hostile-provider-process.ts')

async function start<Name extends string>(file: string, host?: string): Promise<Upstreams<Name>> {
  const child = fork(join(import.meta.dirname, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send({ client, otherClient, callbackUrl, host })
  const [urls] = (await once(child, 'message')) as [Record<Name, string>]
  return {
    urls,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const maxSteps = 10

/**
 * Goes where a browser would go from `url`, with cookies, until it is sent to the callback; gives the callback's query.
 * Who signs in is told as JSON in `login_hint`, as these providers have no page to ask.
 */
export async function browse(url: string, person: object = {}): Promise<URLSearchParams> {
  const cookies = new Map<string, string>()
  let next = new URL(url)
  next.searchParams.set('login_hint', JSON.stringify(person))
  for (let step = 0; step < maxSteps; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const [, name = '', value = ''] of answer.headers
      .getSetCookie()
      .map((line) => /^([^=]+)=([^;]*)/.exec(line) ?? []))
      cookies.set(name, value)
    const location = answer.headers.get('location')
    if (!location) throw new Error(`${next.href} answered ${answer.status} ${await answer.text()}`)
    next = new URL(location, next)
    if (next.href.startsWith(callbackUrl)) return next.searchParams
  }
  throw new Error(`no way back from ${url}`)
}
