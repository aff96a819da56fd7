/** What a page leaves to its reader: what stands for something of theirs, and what is there before a command. */
export type Scene = {
  /** Texts that stand for a place or a name of the reader's. */
  replaced?: Record<string, string>
  /** Run before the first block, in the shell of the page. */
  first?: string
  /** Run before the statement that begins so. */
  before?: Record<string, string>
  /** Must succeed after the last block: what the page promises, beyond what its commands say. */
  promised?: string
}

const idOf = `node -pe 'JSON.parse(fs.readFileSync(0)).result.id'`
const create = (path: string, body: string) =>
  `curl -sS --fail-with-body -H @data/headers $SIGNET_URL/organizations/${path} -d '${body}'`
const today = () => new Date().toISOString().slice(0, 10)

/** A receiver of the page's webhook, one event that it has got, and its delivery. */
const delivered = `
npm run receiver &
WEBHOOK=$(${create('webhooks', '{"target_url": "https://receiver.test:9443/hook", "name": "Records"}')} | ${idOf})
${create('webhooks/$WEBHOOK/triggers', '{"trigger_type": "event", "trigger_name": "PersonCreated_v1"}')}
SUB=$(curl -sS --fail-with-body -H @data/headers $SIGNET_URL/test-events -d '[{"event_name": "PersonCreated_v1"}]' |
  node -pe 'JSON.parse(fs.readFileSync(0)).result[0].event_id')
until curl -sS -H @data/headers $SIGNET_URL/organizations/webhooks/$WEBHOOK/deliveries/$SUB | grep -q succeeded; do sleep 0.2; done
`
const token = `
. ./data/environment
ID=$SIGNET_ORGANIZATION_ID
HOOK=$(${create('webhooks', '{"target_url": "https://app.example/hook", "name": "Hook"}')} | ${idOf})
${create('webhooks/$HOOK/triggers', '{"trigger_type": "sync_hook", "trigger_name": "token_minted"}')}
curl -sS -X POST -H @data/headers $SIGNET_URL/organizations/webhooks/$HOOK/dry-run |
  node -pe 'JSON.parse(fs.readFileSync(0)).result.request.jwt' > body.jwt
`

/** `$TEMPORARY` is a folder, `$EMPTY_DATABASE_URL` and `$FIRST_DATABASE_URL` databases without tables, on Debian's PostgreSQL; `$CLONE` the clone. */
export const scenes: Record<string, Scene> = {
  'docs/operate/backup.md': {
    replaced: {
      '/srv/backups': '$TEMPORARY/backups',
      '/var/lib/signet': '$TEMPORARY/signet',
      '/tmp/restored': '$TEMPORARY/restored',
      '/opt/signet': '$CLONE',
      'signet-2026-11-25': `signet-${today()}`,
    },
    first: `mkdir $TEMPORARY/backups\nWEBHOOK_ID=$(${create('webhooks', '{"target_url": "https://receiver.example.com/hook", "name": "Records"}')} | ${idOf})`,
    before: {
      // The page makes one a day.
      'set -e': 'rm -r $TEMPORARY/backups/*',
      'npx signet copy --to': 'unset SIGNET_DATA_DIR PORT SIGNET_BASE_URL; echo $EMPTY_DATABASE_URL > target-address',
    },
  },
  'docs/reference/command-line.md': {
    replaced: { '/var/backups': '$TEMPORARY', './restored': '$TEMPORARY/restored', './copied': '$TEMPORARY/copied' },
    before: {
      'signet verify': token,
      'signet init': 'export DATABASE_URL=$FIRST_DATABASE_URL',
      'signet copy --to': 'echo $EMPTY_DATABASE_URL > target',
    },
  },
  'docs/operate/own-postgresql.md': {
    replaced: {
      'postgresql://signet:change-me@db.example.com:5432/signet': '$EMPTY_DATABASE_URL',
      'https://id.example.com': 'http://localhost:$PORT',
      // What is within is written as it stands.
      "<<'END'": '<<END',
    },
    before: {
      // The settings of the block above it.
      'npx signet init':
        'export DATABASE_URL=$EMPTY_DATABASE_URL SIGNET_BASE_URL=http://localhost:$PORT SIGNET_MASTER_KEY=$(openssl rand -base64 32)',
    },
  },
  'docs/use/organizations-as-code.md': {
    before: {
      'export CRM_TOKEN': `sed -n '/^\`\`\`yaml$/,/^\`\`\`$/p' docs/use/organizations-as-code.md | sed '/^\`\`\`/d' > signet.yaml`,
    },
  },
  'docs/use/providers.md': {
    before: {
      "curl -sS -w '\\n' -X PATCH": create(
        'sso/oidc/provider-credentials',
        '{"provider": "provider_a", "client_id": "8c1f2a7e.apps.example.com", "client_secret": "GOCSPX-2nQ7"}',
      ),
      'curl -sS -X POST': 'OAUTH_CLIENT_ID=8c1f2a7e.apps.example.com',
      'curl -sS -H @data/headers $SIGNET_URL/organizations/sso/oidc/provider-credentials/$OAUTH_CLIENT_ID/test': `TEST=$(curl -sS -X POST -H @data/headers $SIGNET_URL/organizations/sso/oidc/provider-credentials/$OAUTH_CLIENT_ID/test | ${idOf})`,
    },
  },
  'docs/use/receiving-webhooks.md': { first: delivered },
  'docs/use/signing-in.md': { before: { 'grep Service': 'cp docs/pictures/chooser.png logo.png' } },
  'docs/use/single-logout.md': {
    first: `CLIENT_ID=$(${create('applications', '{"name": "App", "redirect_uris": ["https://app.example.com/"]}')} |
  node -pe 'JSON.parse(fs.readFileSync(0)).result.client_id')`,
  },
  'docs/use/polling-to-webhooks.md': {
    promised: 'test -z "$(sort data/polled | uniq -d)" && test $(grep -c . data/polled) -ge 2',
  },
  'docs/use/event-feed-to-warehouse.md': {
    // The key of the page reads events, and nothing else.
    promised: `test $(curl -sS -o /dev/null -w "%{http_code}" -H "Service-OrgID: $SIGNET_ORGANIZATION_ID" -H "Service-API-Key: $SIGNET_API_KEY" $SIGNET_URL/persons) = 403
test "$(node -p "new (require('node:sqlite').DatabaseSync)('data/warehouse.db').prepare('select count(*) - count(distinct event_id) as twice from events').get().twice")" = 0`,
  },
}

const ofLibrary: Scene = { replaced: { 'npm install /path/to/the/clone': 'npm install --prefix $TEMPORARY $CLONE' } }
for (const name of ['browser', 'management', 'webhooks']) scenes[`sdk/${name}/README.md`] = ofLibrary

/** What runs until it is stopped: what it says once it is ready, and what it waits for. */
export const lasting: { command: RegExp; ready: RegExp; needs?: string }[] = [
  { command: /\b(npm|signet) start\b/, ready: /^Ready\. Stop with Ctrl-C\.$/m },
  { command: /\bnpm run dev\b/, ready: /^Reference: .* Stop with Ctrl-C\.$/m },
  { command: /\bsignet listen\b/, ready: /^Connected/m },
  { command: /\bnpm run receiver\b/, ready: /^Listening/m },
  { command: /\bnpm run provider\b/, ready: /^(Listening|Provider|http)/m },
  { command: /\bnpm run application\b/, ready: /^(Listening|http|Open)/m },
  { command: /\bwarehouse\.ts\b/, ready: /^Caught up/m },
  {
    command: /\bsignet events\b(?!.*--no-follow)/,
    ready: /PersonCreated_v1/,
    needs: 'npx signet trigger PersonCreated',
  },
  { command: /\bcurl\b.*--no-buffer/, ready: /^(id|event|data): ?\S/m, needs: 'npx signet trigger PersonCreated' },
]

/** A shell has room for one of these at a time. */
export const isStart = (statement: string): boolean => /\b(npm start|npm run dev|signet start)\b/.test(statement)
