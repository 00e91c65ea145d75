// Replaces packages that ccxt imports for features edgemaker does not use: protobuf messages and proxies.
export default {};
