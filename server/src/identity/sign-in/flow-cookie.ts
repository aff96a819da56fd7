import { hostCookie, readHostCookies } from '../../ground/http/chain/host-cookie.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { isSecret } from './flow-secret.ts'

/** Per browser; a person who opens more has left the others. */
const maxOpenFlows = 5

/** Binds a flow to a browser. Each flow has its own cookie, so that tabs which begin at once do not overwrite each other. */
export type FlowCookie = { organizationId: string; flowId: string; secret: string }

const prefix = 'signet-flow-'

/** The flows of a `Cookie` header, the newest first. */
export const readFlowCookies = (header: string | undefined, isSecure: boolean): FlowCookie[] =>
  readHostCookies(header, prefix, isSecure)
    .flatMap(readCookie)
    .sort((a, b) => (a.flowId < b.flowId ? 1 : -1))
    .slice(0, maxOpenFlows)

function readCookie([flowId, value]: [string, string]): FlowCookie[] {
  const [organizationId = '', secret = ''] = value.split('.')
  return isUuid(flowId) && isUuid(organizationId) && isSecret(secret) ? [{ organizationId, flowId, secret }] : []
}

type Options = { isSecure: boolean; maxAgeSeconds: number }

/** `Set-Cookie` lines that add a flow, and drop the oldest flows of the browser beyond the limit. */
export function setFlowCookie(cookie: FlowCookie, present: FlowCookie[], options: Options): string[] {
  const others = present.filter(({ flowId }) => flowId !== cookie.flowId)
  const dropped = others.slice(maxOpenFlows - 1).map(({ flowId }) => dropFlowCookie(flowId, options.isSecure))
  const value = `${cookie.organizationId}.${cookie.secret}`
  return [hostCookie(`${prefix}${cookie.flowId}`, value, options), ...dropped]
}

export const dropFlowCookie = (flowId: string, isSecure: boolean): string =>
  hostCookie(`${prefix}${flowId}`, '', { isSecure, maxAgeSeconds: 0 })
