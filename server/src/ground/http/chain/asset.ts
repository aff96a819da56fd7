import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** All replies share these bytes: a copy for each client that reads slowly would fill the memory. */
export type Asset = { headers: Record<string, string>; body: Buffer; compressed: Buffer }

export async function makeAsset(body: Buffer, headers: Record<string, string>): Promise<Asset> {
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`
  const shared = {
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding',
    ...headers,
    etag,
  }
  return { headers: shared, body, compressed: await promisify(gzip)(body) }
}

/** Compressed where the client accepts that; 304 where it still has it. What there is not stays so (RFC 9110, 13.2.1). */
export function sendAsset({ headers }: FastifyRequest, reply: FastifyReply, asset: Asset) {
  reply.headers(asset.headers)
  if (reply.statusCode < 300 && headers['if-none-match'] === asset.headers.etag) return reply.code(304).send()
  if (!acceptsGzip(headers['accept-encoding'])) return reply.send(asset.body)
  return reply.header('content-encoding', 'gzip').send(asset.compressed)
}

const acceptsGzip = (header: string | string[] = '') =>
  String(header)
    .split(',')
    .map((coding) => coding.trim().split(/\s*;\s*q\s*=\s*/i))
    .some(([name, weight = '1']) => name?.toLowerCase() === 'gzip' && Number(weight) > 0)
