type Receiver = { serviceUrl: string; organizationId: string; targetUrl: string }

/** Makes every check of a receiver. Standard input has the token: the arguments of a command are seen by everybody at the machine. */
export const verifyCommand = (token: string, { serviceUrl, organizationId, targetUrl }: Receiver) =>
  [
    `signet verify - --url ${quoted(serviceUrl)} --organization ${organizationId} \\`,
    `  --target-url ${quoted(targetUrl)} <<'JWT'`,
    token,
    'JWT',
  ].join('\n')

/** For a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
