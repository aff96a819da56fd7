import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { BlockList, isIPv6 } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { eachItem, SignetError } from '@signet/management'
import type { Connection } from '../connection.ts'
import { reasonOf } from '../failure.ts'
import { type Finding, finding } from './finding.ts'

const timeoutMs = 5_000
const maxReceivers = 100
const dayMs = 86_400_000
const soonDays = 14
const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']
const tlsPort = 443

/** Name and certificate of each host, once, as this machine sees them: the service may see others. */
export async function examineReceivers({ signet }: Connection): Promise<Finding[]> {
  try {
    const hosts = new Set<string>()
    for await (const { target_url } of eachItem((place) => signet.listWebhooks({ query: place }))) {
      if (hosts.size === maxReceivers) break
      hosts.add(new URL(target_url).host)
    }
    const found = await Promise.all([...hosts].map(examineHost))
    return [...found.flat(), ...examineProxies()]
  } catch (error) {
    if (error instanceof SignetError && error.status === 403)
      return [finding('receivers', 'unknown', 'the key has no scope webhooks:read')]
    throw error
  }
}

/** Deliveries go straight to their receivers. */
function examineProxies(): Finding[] {
  const names = proxyNames.filter((name) => process.env[name])
  if (names.length === 0) return []
  return [finding('proxies', 'warning', `${names.join(', ')}: Signet delivers without a proxy, and ignores this`)]
}

async function examineHost(host: string): Promise<Finding[]> {
  const check = `receiver ${host}`
  const { hostname, port } = new URL(`https://${host}`)
  try {
    const addresses = await lookup(hostname, { all: true })
    const certificate = await examineCertificate(check, hostname, Number(port || tlsPort))
    return [...examineAddresses(`address ${host}`, addresses), certificate]
  } catch (error) {
    const where = 'check it where the service runs, where deliveries fail with name_not_found if it does not either'
    return [finding(check, 'unknown', `the name does not resolve on this machine (${reasonOf(error)}); ${where}`)]
  }
}

/** The usual ones. The service refuses more, and is the one to judge. */
const privateNetworks = new BlockList()
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, bits)
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')
privateNetworks.addSubnet('fe80::', 10, 'ipv6')

/** An organization is not told of an address that may not be reached: to it, the name is not found. */
function examineAddresses(check: string, addresses: { address: string }[]): Finding[] {
  const found = addresses.find(({ address }) => privateNetworks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
  if (!found) return []
  const advice =
    'unless the operator allows it (SIGNET_WEBHOOK_ALLOW_CIDRS, SIGNET_WEBHOOK_RESOLVE), deliveries fail with name_not_found'
  return [finding(check, 'warning', `resolves on this machine to ${found.address}, which is not public: ${advice}`)]
}

async function examineCertificate(check: string, host: string, port: number): Promise<Finding> {
  // The judgement is ours: a refused connection would not show the dates.
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
    return judge(check, socket)
  } catch (error) {
    return finding(check, 'unknown', `is not reached from this machine (${reasonOf(error)})`)
  } finally {
    socket.destroy()
  }
}

function judge(check: string, socket: TLSSocket): Finding {
  const until = Date.parse(socket.getPeerCertificate().valid_to)
  const days = Math.floor((until - Date.now()) / dayMs)
  if (days < 0) return finding(check, 'wrong', `its certificate expired ${-days} days ago: renew it`)
  if (!socket.authorized) {
    const hint = 'serve the whole chain, or name a private authority in NODE_EXTRA_CA_CERTS of the service'
    return finding(check, 'wrong', `its certificate is not trusted here (${socket.authorizationError}): ${hint}`)
  }
  if (days < soonDays) return finding(check, 'warning', `its certificate expires in ${days} days`)
  return finding(check, 'ok', `its certificate is valid for ${days} days`)
}
