import { queryOptions } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'

/** The keys that verify webhooks, and when each signs. */
export const verificationKeysQuery = queryOptions({
  queryKey: ['listVerificationKeys'],
  queryFn: ({ signal }) => signet.listVerificationKeys({ signal }),
})
