import { createHash } from 'node:crypto'

/**
 * The `webhook_id` of everything that is sent to the listeners of an organization: always the same, and never that of a webhook,
 * because it has version 8 (RFC 9562, 5.8), and webhooks have version 7.
 */
export function listenerIdOf(organizationId: string): string {
  const bytes = createHash('sha256').update(`signet listen ${organizationId}`).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
