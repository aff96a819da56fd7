import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../design/state.tsx'
import { lacks, useMay } from '../session/session.ts'
import { tokenMinted } from './trigger-kinds.ts'
import { triggersQuery } from './webhook-queries.ts'

/** Whether the webhook has a synchronous hook, and the key may not decide what that does. */
export function useIsHookOfOthers({ id }: Pick<Webhook, 'id'>): boolean {
  const mayDecide = useMay('hooks:write')
  const { data = [] } = useQuery({ ...triggersQuery(id), enabled: !mayDecide })
  return !mayDecide && data.some(({ trigger_name }) => trigger_name === tokenMinted)
}

/** Above the settings of such a webhook: which of them the key may not change, and why. */
export const LackingHooks = ({ webhook }: { webhook: Webhook }) =>
  useIsHookOfOthers(webhook) && (
    <Notice tone="warn">
      This webhook has a synchronous hook, which decides what tokens say of everybody. Its target, headers and timeout
      are changed, and it is deleted, with the scope hooks:write. {lacks('hooks:write')}
    </Notice>
  )
