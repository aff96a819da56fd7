import { isUuid } from '../identifiers.ts'
import { isSecret } from './flow-secret.ts'

/** In one browser; whoever opens more has left the others. */
const maxOpenFlows = 5

/** What binds a flow to a browser: a cookie for each, so that tabs which begin together do not overwrite each other. */
export type FlowCookie = { organizationId: string; flowId: string; secret: string }

/** `__Host-`: no neighbouring host can set one (RFC 6265bis, section 4.1.3.2). It needs https. */
const prefixFor = (isSecure: boolean) => (isSecure ? '__Host-signet-flow-' : 'signet-flow-')

/** Those of a `Cookie` header, the newest flow first. */
export function readFlowCookies(header: string | undefined, isSecure: boolean): FlowCookie[] {
  const prefix = prefixFor(isSecure)
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .flatMap((pair) => readCookie(pair.slice(prefix.length)))
    .sort((a, b) => (a.flowId < b.flowId ? 1 : -1))
    .slice(0, maxOpenFlows)
}

function readCookie(pair: string): FlowCookie[] {
  const [flowId = '', value = ''] = pair.split('=')
  const [organizationId = '', secret = ''] = value.split('.')
  return isUuid(flowId) && isUuid(organizationId) && isSecret(secret) ? [{ organizationId, flowId, secret }] : []
}

type Options = { isSecure: boolean; maxAgeSeconds: number }

/** `Set-Cookie` lines for a new flow beside those that the browser has: the oldest beyond the limit are dropped. */
export function setFlowCookie(cookie: FlowCookie, present: FlowCookie[], options: Options): string[] {
  const others = present.filter(({ flowId }) => flowId !== cookie.flowId)
  const dropped = others.slice(maxOpenFlows - 1).map(({ flowId }) => dropFlowCookie(flowId, options.isSecure))
  return [toLine(cookie.flowId, `${cookie.organizationId}.${cookie.secret}`, options), ...dropped]
}

export const dropFlowCookie = (flowId: string, isSecure: boolean): string =>
  toLine(flowId, '', { isSecure, maxAgeSeconds: 0 })

/** Lax: the way back from a provider is a link of another site, a form of another site must not carry it. */
const toLine = (flowId: string, value: string, { isSecure, maxAgeSeconds }: Options): string =>
  `${prefixFor(isSecure)}${flowId}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
