import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { createKeyring, type Keyring, makeMasterKey, parseMasterKeys } from '../../src/ground/keys/index.ts'
import type { Clock } from '../../src/ground/runtime/clock.ts'
import type { OnFailpoint as OnSignInFailpoint } from '../../src/identity/sign-in/index.ts'
import { readConfig } from '../../src/start/config.ts'
import { buildService } from '../../src/start/service.ts'
import type { Receiver } from './receiver.ts'
import { type Client, createClient } from './signet.ts'

export type Service = Client & { stop(): Promise<void> }

type ServiceOptions = {
  connection: pg.ClientConfig
  receiver: Receiver
  clock: Clock
  /** The same for all services on one database. */
  keyring: Keyring
  env?: Record<string, string>
  onSignInFailpoint?: OnSignInFailpoint
}

export function makeKeyring(masterKey = makeMasterKey()): Keyring {
  const parsed = parseMasterKeys(masterKey)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return createKeyring(parsed.masterKeys)
}

/** The service within the test's own process, listening, on a clock that the test sets. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { connection, receiver, clock, keyring, env, onSignInFailpoint } = options
  const operatorKey = 'operator-key-for-tests-0123456789'
  const config = readConfig({
    SIGNET_OPERATOR_KEY: operatorKey,
    SIGNET_WEBHOOK_RESOLVE: receiver.resolve,
    SIGNET_RATE_TEST_EVENTS: '100000/100000',
    SIGNET_LOG_LEVEL: 'silent',
    ...env,
  })
  const failpoints = onSignInFailpoint && { onSignInFailpoint }
  const certificateAuthorities = [readFileSync(receiver.caFile, 'utf8')]
  const shared = { connection, keyring, clock, certificateAuthorities, ...failpoints }
  const service = await buildService({ config: { ...config, port: 0 }, ...shared })
  return { ...createClient(await service.listen(), operatorKey), stop: service.stop }
}
