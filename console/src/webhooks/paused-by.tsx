import type { AuditEntry } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Actor } from '../audit-log/actor.tsx'
import { Soft } from '../design/text.tsx'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

/** Among so many of its newest changes the pause is looked for. */
const lookedAt = 25

/** Who paused a webhook, for whoever may read the audit log; nothing where that does not tell. */
export function PausedBy({ webhookId }: { webhookId: string }) {
  const { data } = useQuery({
    queryKey: ['listAuditEntries', 'pause', webhookId],
    queryFn: async ({ signal }) => {
      const query = { target: webhookId, action: 'changeWebhook', limit: lookedAt }
      return (await signet.listAuditEntries({ query, signal })).result.find(isPause) ?? null
    },
    enabled: useMay('audit-log:read'),
  })
  if (!data) return <Soft>by request</Soft>
  return (
    <>
      by <Actor actor={data.actor} from={data.client_ip_address} />
    </>
  )
}

const isEnabled = (side: unknown) => (side as { enabled?: boolean } | null)?.enabled

const isPause = ({ before, after }: AuditEntry) => isEnabled(before) === true && isEnabled(after) === false
