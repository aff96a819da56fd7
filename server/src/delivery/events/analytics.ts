import type { Caller } from '../../ground/http/chain/operation.ts'

/** The `analytics_metadata` of the events that a caller's request causes (6.1). */
export const analyticsOf = ({ correlationId, clientAddress }: Pick<Caller, 'correlationId' | 'clientAddress'>) => ({
  analytics_correlation_id: correlationId,
  client_ip_address: clientAddress,
})
