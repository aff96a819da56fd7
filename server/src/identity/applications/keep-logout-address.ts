import { keepLogoutLane } from '../../delivery/queue/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import type { Application } from './application-store.ts'

/** Whether it is sent logout tokens; where, is read from its row at each attempt. */
export const keepLogoutAddress = (
  tx: Transaction,
  organizationId: string,
  application: Pick<Application, 'client_id' | 'backchannel_logout_uri'>,
) => keepLogoutLane(tx, organizationId, application.client_id, application.backchannel_logout_uri !== null)
