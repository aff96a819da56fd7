import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { lockOrganization } from '../../../ground/database/lock-organization.ts'
import { badRequest, notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../../ground/http/chain/recorded-change.ts'
import { SettingsRecord, toSettings } from '../get-settings.ts'
import { findSettings } from '../organization-store.ts'
import { type Logo, removeLogo, saveLogo } from './branding-store.ts'
import { maxSide, mediaTypes, readPicture } from './picture.ts'

const maxLogoBytes = 102_400
const kinds = 'a PNG, JPEG or WebP picture'

type Dependencies = { database: Database; baseUrl: string }

export const changeLogo = (dependencies: Dependencies) =>
  operation({
    id: 'changeLogo',
    method: 'PUT',
    path: '/organizations/settings/logo',
    scope: 'settings:write',
    adminOnly: true,
    tag: 'Organization settings',
    summary: 'Set the logo',
    description:
      `Shown on the pages that a person sees during a sign-in. The body is the picture: PNG, JPEG or WebP, as its bytes say, never SVG; at most 100 KiB, ` +
      `and at most ${maxSide} pixels wide and high. It replaces an earlier one.`,
    bytes: { mediaTypes, maxBytes: maxLogoBytes },
    result: SettingsRecord,
    handle: ({ organizationId, record, bytes }) => {
      const logo = readLogo(bytes)
      return change({ organizationId, record }, dependencies, (tx) => saveLogo(tx, organizationId, logo))
    },
  })

export const deleteLogo = (dependencies: Dependencies) =>
  operation({
    id: 'deleteLogo',
    method: 'DELETE',
    path: '/organizations/settings/logo',
    scope: 'settings:write',
    adminOnly: true,
    tag: 'Organization settings',
    summary: 'Delete the logo',
    status: 204,
    refusals: [404],
    handle: ({ organizationId, record }) =>
      change({ organizationId, record }, dependencies, async (tx) => {
        if (!(await removeLogo(tx, organizationId))) throw notFound('logo')
      }),
  })

type Changing = { organizationId: string; record: RecordChange }

/** Gives the settings after it. The audit log has the address of each picture, and so its hash, not its bytes. */
const change = (
  { organizationId, record }: Changing,
  { database, baseUrl }: Dependencies,
  write: (tx: Transaction) => Promise<unknown>,
) =>
  database.transaction(async (tx) => {
    const find = async () => toSettings(await findSettings(tx, organizationId), organizationId, baseUrl)
    await lockOrganization(tx, organizationId)
    const before = await find()
    await write(tx)
    const after = await find()
    await record(tx, organizationId, { target: { type: 'settings', id: organizationId }, before, after })
    return after
  })

/** Throws a 400. */
function readLogo(bytes: Buffer): Logo {
  const picture = readPicture(bytes)
  if (!picture) throw badRequest('invalid_value', `body: must be ${kinds}`)
  if (!picture.sizes)
    throw badRequest('invalid_value', `body: must be ${kinds} from its first byte to its last, with nothing after it`)
  if (picture.sizes.some(({ width, height }) => !isSide(width) || !isSide(height)))
    throw badRequest('invalid_value', `body: must be a picture of 1 to ${maxSide} pixels in width and height`)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  return { hash, media_type: picture.mediaType, picture: bytes }
}

const isSide = (pixels: number) => pixels >= 1 && pixels <= maxSide
