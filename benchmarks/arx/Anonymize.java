import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXLattice.ARXNode;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.aggregates.StatisticsEquivalenceClasses;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EntropyLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.PrivacyCriterion;
import org.deidentifier.arx.exceptions.RollbackRequiredException;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

/**
 * Times ARX's optimal search and prints one line of JSON.
 *
 * <p>The first call is the cold one, those that follow are warm. Only {@code anonymize()} is timed: reading the file
 * comes before, counting the classes of the optimum after. Each call gets a fresh configuration and a released handle.
 * Arguments are {@code name=value}; see {@link #USAGE}.
 */
public final class Anonymize {

    private static final String USAGE = String.join("\n",
            "data=FILE            table with a header",
            "separator=;          of the table and of the hierarchies",
            "quasi=COLUMN:FILE    a quasi-identifier and its hierarchy; repeated, in the order of the levels printed",
            "weight=COLUMN:0.5    weight of a quasi-identifier; repeated",
            "k=5",
            "sensitive=COLUMN     with model=distinct:3, entropy:3 or closeness:0.2",
            "limit=0.05           share of the records that may be suppressed",
            "metric=loss          loss, loss-arithmetic, loss-maximum, loss-sum, discernibility,",
            "                     discernibility-monotone, average-class-size, entropy, entropy-normalized,",
            "                     precision, ambiguity",
            "balance=0.5          ARX's gs-factor, where the metric has one: 0 favours suppression, 1 generalization",
            "local=100            recode locally after the search, in so many rounds; the time includes both",
            "repetitions=5        warm calls",
            "nodes=100000         largest lattice to be searched");

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<String, List<String>> options;

    private Anonymize(Map<String, List<String>> options) {
        this.options = options;
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 0) {
            System.err.println(USAGE);
            System.exit(2);
        }
        System.out.println(new Anonymize(parse(arguments)).run());
    }

    private static Map<String, List<String>> parse(String[] arguments) {
        Map<String, List<String>> options = new LinkedHashMap<>();
        for (String argument : arguments) {
            String[] pair = argument.split("=", 2);
            options.computeIfAbsent(pair[0], name -> new ArrayList<>()).add(pair[1]);
        }
        return options;
    }

    private String run() throws IOException {
        long start = System.nanoTime();
        Data data = load();
        double loaded = millisecondsSince(start);
        List<Double> calls = new ArrayList<>();
        List<Double> processor = new ArrayList<>();
        ARXResult result = null;
        DataHandle output = null;
        for (int call = 0; call <= Integer.parseInt(option("repetitions", "5")); call++) {
            data.getHandle().release();
            result = null;
            System.gc();
            ARXConfiguration configuration = configuration();
            start = System.nanoTime();
            long before = THREADS.getCurrentThreadCpuTime();
            result = new ARXAnonymizer().anonymize(data, configuration);
            if (options.containsKey("local")) {
                output = recodeLocally(result, Double.parseDouble(option("local", "100")));
            }
            calls.add(millisecondsSince(start));
            processor.add((THREADS.getCurrentThreadCpuTime() - before) / 1e6);
        }
        double peak = peakGib();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("load_ms", loaded);
        facts.put("cold_ms", calls.get(0));
        facts.put("warm_ms", calls.subList(1, calls.size()));
        facts.put("warm_cpu_ms", processor.subList(1, processor.size()));
        facts.putAll(output == null ? optimum(result) : recoded(output));
        facts.put("nodes_checked", result.getProcessStatistics().getTransformationsChecked());
        facts.put("nodes_total", result.getProcessStatistics().getTransformationsAvailable());
        facts.put("peak_gib", peak);
        facts.put("version", '"' + ARXAnonymizer.VERSION + '"');
        return json(facts);
    }

    /** Improves the output step by step, a share of the records at least in each. */
    private static DataHandle recodeLocally(ARXResult result, double rounds) {
        DataHandle output = result.getOutput(false);
        try {
            result.optimizeIterativeFast(output, 1 / rounds);
        } catch (RollbackRequiredException trouble) {
            throw new IllegalStateException(trouble);
        }
        return output;
    }

    private static Map<String, Object> recoded(DataHandle output) {
        Map<String, Object> facts = new LinkedHashMap<>();
        StatisticsEquivalenceClasses classes = output.getStatistics().getEquivalenceClassStatistics();
        facts.put("granularity", output.getStatistics().getQualityStatistics().getGranularity().getArithmeticMean(true));
        facts.put("suppressed", classes.getNumberOfSuppressedRecords());
        facts.put("classes", classes.getNumberOfEquivalenceClasses());
        return facts;
    }

    private Data load() throws IOException {
        char separator = option("separator", ";").charAt(0);
        Data data = Data.create(new File(option("data", "")), StandardCharsets.UTF_8, separator);
        for (String[] quasi : pairs("quasi")) {
            Hierarchy hierarchy = Hierarchy.create(new File(quasi[1]), StandardCharsets.UTF_8, separator);
            data.getDefinition().setAttributeType(quasi[0], hierarchy);
        }
        if (options.containsKey("sensitive")) {
            data.getDefinition().setAttributeType(option("sensitive", ""), AttributeType.SENSITIVE_ATTRIBUTE);
        }
        data.getHandle(); // reads and encodes the table; what came before only opened it
        return data;
    }

    private ARXConfiguration configuration() {
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(option("k", "5"))));
        if (options.containsKey("sensitive")) {
            configuration.addPrivacyModel(model(option("sensitive", ""), option("model", "").split(":")));
        }
        configuration.setSuppressionLimit(Double.parseDouble(option("limit", "0")));
        configuration.setHeuristicSearchThreshold(Integer.parseInt(option("nodes", "100000")));
        configuration.setQualityModel(metric(Double.parseDouble(option("balance", "0.5"))));
        for (String[] weight : pairs("weight")) {
            configuration.setAttributeWeight(weight[0], Double.parseDouble(weight[1]));
        }
        return configuration;
    }

    private static PrivacyCriterion model(String sensitive, String[] model) {
        return switch (model[0]) {
            case "distinct" -> new DistinctLDiversity(sensitive, Integer.parseInt(model[1]));
            case "entropy" -> new EntropyLDiversity(sensitive, Double.parseDouble(model[1]));
            case "closeness" -> new EqualDistanceTCloseness(sensitive, Double.parseDouble(model[1]));
            default -> throw new IllegalArgumentException("No model is called '" + model[0] + "'.");
        };
    }

    private Metric<?> metric(double balance) {
        String name = option("metric", "loss");
        return switch (name) {
            case "loss" -> Metric.createLossMetric(balance, AggregateFunction.GEOMETRIC_MEAN);
            case "loss-arithmetic" -> Metric.createLossMetric(balance, AggregateFunction.ARITHMETIC_MEAN);
            case "loss-maximum" -> Metric.createLossMetric(balance, AggregateFunction.MAXIMUM);
            case "loss-sum" -> Metric.createLossMetric(balance, AggregateFunction.SUM);
            case "discernibility" -> Metric.createDiscernabilityMetric(false);
            case "discernibility-monotone" -> Metric.createDiscernabilityMetric(true);
            case "average-class-size" -> Metric.createAECSMetric(balance);
            case "entropy" -> Metric.createEntropyMetric(false, balance);
            case "entropy-normalized" -> Metric.createNormalizedEntropyMetric();
            case "precision" -> Metric.createPrecisionMetric(false, balance);
            case "ambiguity" -> Metric.createAmbiguityMetric();
            default -> throw new IllegalArgumentException("No metric is called '" + name + "'.");
        };
    }

    private Map<String, Object> optimum(ARXResult result) {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (!result.isResultAvailable()) {
            List.of("levels", "score", "suppressed", "classes").forEach(name -> facts.put(name, null));
            return facts;
        }
        ARXNode node = result.getGlobalOptimum();
        StatisticsEquivalenceClasses classes =
                result.getOutput(false).getStatistics().getEquivalenceClassStatistics();
        facts.put("levels", pairs("quasi").stream().map(quasi -> node.getGeneralization(quasi[0])).toList());
        facts.put("score", node.getLowestScore());
        facts.put("suppressed", classes.getNumberOfSuppressedRecords());
        facts.put("classes", classes.getNumberOfEquivalenceClasses());
        return facts;
    }

    private String option(String name, String otherwise) {
        return options.getOrDefault(name, List.of(otherwise)).get(0);
    }

    private List<String[]> pairs(String name) {
        return options.getOrDefault(name, List.of()).stream().map(value -> value.split(":", 2)).toList();
    }

    private static double millisecondsSince(long start) {
        return (System.nanoTime() - start) / 1e6;
    }

    /** The most memory the process ever held, as the Linux kernel counts it. */
    private static double peakGib() throws IOException {
        Path status = Path.of("/proc/self/status");
        try (var lines = Files.lines(status)) {
            String kib = lines.filter(line -> line.startsWith("VmHWM")).findFirst().orElse("0");
            return Double.parseDouble(kib.replaceAll("[^0-9]", "")) / (1 << 20);
        }
    }

    private static String json(Map<String, Object> facts) {
        return facts.entrySet().stream()
                .map(fact -> '"' + fact.getKey() + "\": " + fact.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
