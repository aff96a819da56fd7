import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export type ExportedSpan = {
  traceId: string
  spanId: string
  /** Empty: it is the root of its trace. */
  parentSpanId: string
  name: string
  /** OpenTelemetry's numbers: 1 internal, 2 server, 3 client, 4 producer. */
  kind: number
  failed: boolean
  attributes: Record<string, string | number>
  /** Which process made it. */
  instance: string
}

export type ExportedLine = { traceId: string; severity: number; body: string; attributes: Record<string, unknown> }

/** An OTLP collector over HTTP, for what a Signet in another process exports. */
export type Collector = {
  url: string
  spans(): ExportedSpan[]
  lines(): ExportedLine[]
  /** All bytes that were exported, one character each. */
  raw(): string
  /** The same of one path. */
  rawOf(path: string): string
  stop(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const bodies: { path: string; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync<Buffer>(request)
    const body = Buffer.concat(chunks)
    bodies.push({
      path: request.url ?? '',
      body: request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
    })
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const of = (path: string) => bodies.filter((each) => each.path === path).map(({ body }) => body)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => of('/v1/traces').flatMap((body) => itemsOf(body).map(({ item, resource }) => toSpan(item, resource))),
    lines: () => of('/v1/logs').flatMap((body) => itemsOf(body).map(({ item }) => toLine(item))),
    raw: () => rawOf(bodies.map(({ body }) => body)),
    rawOf: (path) => rawOf(of(path)),
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const rawOf = (bodies: Buffer[]) => bodies.map((body) => body.toString('latin1')).join('\n')

/** Accepts connections and never answers. */
export async function startSilentCollector(): Promise<Pick<Collector, 'url' | 'stop'> & { count(): number }> {
  let requests = 0
  const server = createServer(() => void requests++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => requests,
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Numbers of fields as opentelemetry-proto has published them (trace.proto, logs.proto, common.proto 1.0): both requests are
 * resource → scope → items.
 */
const field = {
  export: { resources: 1 },
  resource: { resource: 1, scopes: 2, attributes: 1 },
  scope: { items: 2 },
  span: { traceId: 1, spanId: 2, parentSpanId: 4, name: 5, kind: 6, attributes: 9, status: 15 },
  status: { code: 3 },
  line: { severity: 2, body: 5, attributes: 6, traceId: 9 },
  keyValue: { key: 1, value: 2 },
  any: { string: 1, bool: 2, int: 3, double: 4, array: 5, list: 6 },
}

function itemsOf(body: Buffer) {
  return all(body, field.export.resources).flatMap((resourceItems) => {
    const resource = attributesIn(one(resourceItems, field.resource.resource), field.resource.attributes)
    const items = all(resourceItems, field.resource.scopes).flatMap((scope) => all(scope, field.scope.items))
    return items.map((item) => ({ item, resource }))
  })
}

const toSpan = (bytes: Buffer, resource: ExportedSpan['attributes']): ExportedSpan => ({
  traceId: one(bytes, field.span.traceId).toString('hex'),
  spanId: one(bytes, field.span.spanId).toString('hex'),
  parentSpanId: one(bytes, field.span.parentSpanId).toString('hex'),
  name: one(bytes, field.span.name).toString(),
  kind: number(bytes, field.span.kind),
  failed: number(one(bytes, field.span.status), field.status.code) === 2,
  attributes: attributesIn(bytes, field.span.attributes),
  instance: String(resource['service.instance.id']),
})

const toLine = (bytes: Buffer): ExportedLine => ({
  traceId: one(bytes, field.line.traceId).toString('hex'),
  severity: number(bytes, field.line.severity),
  body: one(one(bytes, field.line.body), field.any.string).toString(),
  attributes: attributesIn(bytes, field.line.attributes),
})

const attributesIn = (bytes: Buffer, at: number): Record<string, string | number> =>
  Object.fromEntries(
    all(bytes, at).map((pair) => {
      const value = one(pair, field.keyValue.value)
      const text = all(value, field.any.string)[0]
      return [one(pair, field.keyValue.key).toString(), text?.toString() ?? number(value, field.any.int)]
    }),
  )

type Field = { at: number; bytes: Buffer; number: number }

const all = (bytes: Buffer, at: number) =>
  [...fieldsIn(bytes)].filter((each) => each.at === at).map((each) => each.bytes)
const one = (bytes: Buffer, at: number) => all(bytes, at)[0] ?? Buffer.alloc(0)
const number = (bytes: Buffer, at: number) => [...fieldsIn(bytes)].find((each) => each.at === at)?.number ?? 0

/** The wire format of Protocol Buffers: varints, and fields of eight, of four, or of a given number of bytes. */
function* fieldsIn(bytes: Buffer): Generator<Field> {
  let offset = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(offset++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
  }
  while (offset < bytes.length) {
    const tag = varint()
    const [at, type] = [tag >>> 3, tag & 7]
    const value = type === 0 ? varint() : 0
    const length = type === 2 ? varint() : ({ 1: 8, 5: 4 }[type] ?? 0)
    yield { at, bytes: bytes.subarray(offset, offset + length), number: value }
    offset += length
  }
}
