import type { RecordChange } from '../../src/ground/http/chain/recorded-change.ts'
import type { Keyring } from '../../src/ground/keys/index.ts'
import type { Clock } from '../../src/ground/runtime/clock.ts'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { makeKeyring } from './service.ts'

/** What an operation writes the audit log with, as of the operator. */
export const makeRecord = (clock: Clock, keyring: Keyring = makeKeyring()): RecordChange =>
  createRecorder({ clock, keyring })({
    actor: { type: 'operator', id: null, name: null },
    action: 'test',
    requestId: null,
    clientAddress: null,
  })
