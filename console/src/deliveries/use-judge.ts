import { useQuery } from '@tanstack/react-query'
import type { Judge } from '../attempts/verdict.tsx'
import { verificationKeysQuery } from '../keys/verification-keys-query.ts'
import { useMay } from '../session/session.ts'
import { webhookQuery } from '../webhooks/webhook-queries.ts'

/** What verdicts on the JWTs of a webhook need, as far as it may be read. */
export function useJudge(webhookId: string): Judge {
  const enabled = useMay('webhooks:read')
  const keys = useQuery({ ...verificationKeysQuery, enabled })
  const webhook = useQuery({ ...webhookQuery(webhookId), enabled })
  return { keys: keys.data?.result, targetUrl: webhook.data?.target_url }
}
