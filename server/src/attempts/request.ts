import type { Signer } from '../keys/index.ts'
import type { OutboundRequest } from '../outbound/index.ts'

/** What each attempt is made with; `signer` is that of the invocation's organization. */
export type Means = Pick<OutboundRequest, 'headers' | 'timeoutMs' | 'keepBodyBytes' | 'needsBody'> & {
  targetUrl: string
  signer: Signer
}

/** The request of an attempt but for its body, the token (6.2, rule 1). */
export const toCall = ({ targetUrl, headers, ...limits }: Omit<Means, 'signer'>) => ({
  url: targetUrl,
  headers: [...headers, 'content-type', 'application/jwt'],
  ...limits,
})
