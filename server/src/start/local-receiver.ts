import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { isLoopbackName } from '../ground/runtime/loopback-name.ts'
import type { Config } from './config.ts'
import { typedCommands } from './typed-commands.ts'

/** `npm run certificate` and the documentation name them. The name is reserved for tests: nobody can own it. */
const target = 'receiver.test:9443'
const address = '127.0.0.1'

type LocalReceiver = { config: Config; certificateAuthorities?: string[]; lines: string[] }

/**
 * A receiver on the machine of a developer, for events and hooks: where `npm run certificate` has put a certificate into the data
 * folder, its name leads to this machine and its authority is trusted, besides what is set. Never where others reach the service.
 */
export function withLocalReceiver(config: Config): LocalReceiver {
  if (!isLoopbackName(new URL(config.baseUrl).hostname)) return { config, lines: [] }
  const authority = join(config.dataDir, 'receiver/ca.pem')
  if (!existsSync(authority)) return { config, lines: [withoutCertificate] }
  const resolve = new Map([[target, [address]], ...config.resolve])
  const certificateAuthorities = [...getCACertificates('default'), readFileSync(authority, 'utf8')]
  return { config: { ...config, resolve }, certificateAuthorities, lines: [withCertificate] }
}

const withCertificate = `Receiver on this machine: https://${target}/… is port 9443 of ${address}, for events and hooks`
const withoutCertificate = `Receiver on this machine: for events, ${typedCommands.signet} listen; for hooks too, ${typedCommands.certificate}`
