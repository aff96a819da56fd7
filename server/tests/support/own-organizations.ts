import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Organization, type Signet, startOwnSignet } from './signet.ts'

export const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const utcForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/
export const unknownId = '01890000-0000-7000-8000-000000000000'
export const nameRule = 'name: must be 1 to 200 characters'
let folder: string
export const tiers = { small: { max_groups: 2, max_persons: 1, max_webhooks: 1 }, team: { max_groups: 3 } }

export let signet: Signet
export let ours: Organization

export async function openOrganizations() {
  folder = mkdtempSync(join(tmpdir(), 'signet-tiers-'))
  const tiersFile = join(folder, 'tiers.json')
  writeFileSync(tiersFile, JSON.stringify(tiers))
  signet = await startOwnSignet({ env: { SIGNET_TIERS: tiersFile } })
}

export async function closeOrganizations() {
  await signet?.stop()
  rmSync(folder, { recursive: true })
}

export async function newOrganization(fields: object = {}) {
  ours = await signet.organization(fields)
}

export const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
export const operate = (method: string, path: string, body?: unknown) => signet.operate(method, path, body)
