import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** PEM, both. */
export type Certified = { certificate: string; privateKey: string }

export type Authority = {
  /** PEM; what a client has to trust. */
  certificate: string
  /** A server certificate, with a key of its own. The first host is its common name. */
  issue(hosts: string[], options?: IssueOptions): Certified
}

type IssueOptions = {
  /** In milliseconds. */
  until?: number
  /** Names of hosts, and e-mail addresses; the hosts when it is absent. */
  alternativeNames?: string[]
}

/** A certificate authority for the tests, the demo and the example receiver; P-256, good for thirty days. */
export function makeAuthority(): Authority {
  const name = commonName(`Test authority ${randomBytes(4).toString('hex')}`)
  const { publicKey, privateKey } = makeKeys()
  const issuer = { name, privateKey }
  return {
    certificate: makeCertificate(issuer, name, publicKey, [
      extension('551d13', sequence(tlv(0x01, Buffer.of(0xff)))),
      extension('551d0f', bitString(Buffer.of(0b0000_0100), 2)),
    ]),
    issue: (hosts, { until, alternativeNames = hosts } = {}) => {
      const keys = makeKeys()
      const names = alternativeNames.map((name) => tlv(name.includes('@') ? 0x81 : 0x82, Buffer.from(name)))
      const extensions = names.length > 0 ? [extension('551d11', sequence(...names))] : []
      const certificate = makeCertificate(issuer, commonName(hosts[0] ?? ''), keys.publicKey, extensions, until)
      return { certificate, privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
    },
  }
}

const makeKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

type Issuer = { name: Buffer; privateKey: KeyObject }

/** RFC 5280, 4.1. */
function makeCertificate(
  issuer: Issuer,
  subject: Buffer,
  publicKey: KeyObject,
  extensions: Buffer[],
  until = Date.now() + 30 * 86_400_000,
): string {
  const algorithm = sequence(oid('2a8648ce3d040302'))
  const content = sequence(
    tlv(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    issuer.name,
    sequence(utcTime(Math.min(Date.now(), until) - 3_600_000), utcTime(until)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tlv(0xa3, sequence(...extensions))] : []),
  )
  return toPem(sequence(content, algorithm, bitString(sign('sha256', content, issuer.privateKey), 0)))
}

const toPem = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?!$)/g, '$&\n')}\n-----END CERTIFICATE-----\n`

const commonName = (name: string) => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))))
/** All of them critical. */
const extension = (id: string, value: Buffer) => sequence(oid(id), tlv(0x01, Buffer.of(0xff)), tlv(0x04, value))
const sequence = (...parts: Buffer[]) => tlv(0x30, Buffer.concat(parts))
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'))
const integer = (bytes: Buffer) => tlv(0x02, bytes)
const bitString = (bytes: Buffer, unusedBits: number) => tlv(0x03, Buffer.concat([Buffer.of(unusedBits), bytes]))
const utcTime = (ms: number) => tlv(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

/** X.690: tag, length, value; up to 65,535 bytes. */
function tlv(tag: number, value: Buffer): Buffer {
  const { length } = value
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...lengthBytes), value])
}
