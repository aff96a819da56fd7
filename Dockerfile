# The image of Signet with your own PostgreSQL (DATABASE_URL). Explained in docs/operate/installing.md.
ARG BASE=docker.io/library/node:24.21.0-bookworm-slim

FROM ${BASE} AS build
WORKDIR /opt/signet
COPY . .
RUN npm ci --omit=dev --workspace=console --workspace=help --no-progress \
  && node scripts/build-pages.mjs --strict
# What the service needs: neither the tools that built the console and the help, nor Node as a package, nor the embedded PostgreSQL.
RUN npm ci --omit=dev --omit=optional --workspace=server --no-progress \
  && chmod -R a+rX,go-w .

FROM ${BASE}
LABEL org.opencontainers.image.title="Signet" \
  org.opencontainers.image.description="Self-hosted, multi-tenant identity service with signed, durable webhooks" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /opt/signet
COPY --from=build /opt/signet/package.json /opt/signet/LICENSE ./
COPY --from=build /opt/signet/node_modules node_modules
COPY --from=build /opt/signet/cli cli
COPY --from=build /opt/signet/proto proto
COPY --from=build /opt/signet/sdk/management sdk/management
COPY --from=build /opt/signet/server server
COPY --from=build /opt/signet/console/dist console/dist
COPY --from=build /opt/signet/help/dist help/dist
RUN ln -s /opt/signet/server/src/signet.mjs /usr/local/bin/signet
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
EXPOSE 8080
# A number, so that Kubernetes sees that it is not root. Nothing below /opt/signet is writable for it.
USER 1000:1000
STOPSIGNAL SIGTERM
# Not /readyz: a platform that restarts an unhealthy container must not do so while the database is away.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT []
CMD ["node", "--expose-gc", "--max-semi-space-size=32", "server/src/main.ts"]
