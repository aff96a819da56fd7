import { hostCookie, readHostCookies } from '../../ground/http/chain/host-cookie.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { flowPrefix, openRequestsOf } from '../issuer/index.ts'
import { isSecret } from './flow-secret.ts'

/**
 * Binds a flow to a browser. Each flow has its own cookie, so that tabs which begin at once do not overwrite each other. An older release
 * beside this one reads and writes it in the same form.
 */
export type FlowCookie = { organizationId: string; flowId: string; secret: string }

/** The flows of a `Cookie` header, the newest first, and how many there may be. */
export type FlowCookies = { flows: FlowCookie[]; maxFlows: number }

export function readFlowCookies(header: string | undefined, isSecure: boolean): FlowCookies {
  const maxFlows = openRequestsOf(header, isSecure)
  const flows = readHostCookies(header, flowPrefix, isSecure)
    .flatMap(readCookie)
    .sort((a, b) => (a.flowId < b.flowId ? 1 : -1))
  return { flows, maxFlows }
}

function readCookie([flowId, value]: [string, string]): FlowCookie[] {
  const [organizationId = '', secret = ''] = value.split('.')
  return isUuid(flowId) && isUuid(organizationId) && isSecret(secret) ? [{ organizationId, flowId, secret }] : []
}

type Options = { isSecure: boolean; maxAgeSeconds: number }

/** `Set-Cookie` lines that add a flow, and drop the oldest flows of the browser beyond the limit. */
export function setFlowCookie(cookie: FlowCookie, { flows, maxFlows }: FlowCookies, options: Options): string[] {
  const others = flows.filter(({ flowId }) => flowId !== cookie.flowId)
  const dropped = others.slice(maxFlows - 1).map(({ flowId }) => dropFlowCookie(flowId, options.isSecure))
  const value = `${cookie.organizationId}.${cookie.secret}`
  return [hostCookie(`${flowPrefix}${cookie.flowId}`, value, options), ...dropped]
}

export const dropFlowCookie = (flowId: string, isSecure: boolean): string =>
  hostCookie(`${flowPrefix}${flowId}`, '', { isSecure, maxAgeSeconds: 0 })
