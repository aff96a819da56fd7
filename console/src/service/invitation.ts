import { serviceUrl } from './address.ts'
import { ask as askConsole, resultOf } from './answer.ts'

export type Invitation = {
  organization_id: string
  organization_name: string
  group: string
  roles: string[]
  /** By which one may sign in. */
  credentials: { oauth_client_id: string; label: string; provider: string }[]
  expires_at: string
}

/** Spends nothing. */
export const openInvitation = (token: string, signal: AbortSignal): Promise<Invitation> =>
  ask('invitation', { token }, signal)

/** Gives where the page goes on. The browser keeps what binds the sign-in to it. */
export const enter = (token: string, oauth_client_id: string): Promise<{ url: string }> =>
  ask('invitation/sign-in', { token, oauth_client_id })

const ask = async <Result>(path: string, body: object, signal?: AbortSignal): Promise<Result> =>
  resultOf(
    await askConsole(`${serviceUrl}/console/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Service-Console': '1' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    }),
  )
